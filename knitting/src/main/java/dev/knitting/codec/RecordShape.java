package dev.knitting.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a record class: its components, and generated code that takes records apart and puts them together.
 * Made once per type.
 */
final class RecordShape {
    /** Kind of a component that is a reference; a primitive one has its {@link PayloadTag}. */
    static final byte REFERENCE_KIND = 0;

    private final Class<?> record;
    private final Class<?>[] types;
    private final byte[] kinds;
    private final String[] names;
    // Whether the component's type is none of those that a collection always fits.
    private final boolean[] checked;
    // One object of the generated class, in both of its roles.
    private final BiConsumer<Object, Object> takeApart;
    private final Function<Object, Object> putTogether;

    @SuppressWarnings("unchecked") // what RecordAssembler says it generates
    private RecordShape(Class<?> record) throws Throwable {
        RecordComponent[] components = record.getRecordComponents();
        int count = components.length;
        this.record = record;
        types = new Class<?>[count];
        kinds = new byte[count];
        names = new String[count];
        checked = new boolean[count];
        for (int i = 0; i < count; i++) {
            types[i] = components[i].getType();
            kinds[i] = kindOf(types[i]);
            names[i] = components[i].getName();
            checked[i] = needsCheck(types[i]);
        }
        Object code = codeFor(record, kinds);
        takeApart = (BiConsumer<Object, Object>) code;
        putTogether = (Function<Object, Object>) code;
    }

    /**
     * The shape of a record class.
     *
     * @throws Refusal if this module may not look into its package
     */
    static RecordShape of(Class<?> type) {
        try {
            return new RecordShape(type);
        } catch (IllegalAccessException e) {
            throw Refusal.userCode(
                    e,
                    "record is not accessible",
                    "type",
                    type.getName(),
                    "remedy",
                    "opens " + type.getPackageName() + " to dev.knitting");
        } catch (Throwable e) { // the declared type of MethodHandle.invoke
            throw Refusal.in(e, "");
        }
    }

    private static Object codeFor(Class<?> type, byte[] kinds) throws Throwable {
        MethodHandles.Lookup lookup = UserAccess.lookupIn(type);
        if (!lookup.hasFullPrivilegeAccess()) {
            return new RecordHandles(type, kinds, lookup);
        }
        MethodHandles.Lookup generated = lookup.defineHiddenClass(
                RecordAssembler.assemble(type), true, MethodHandles.Lookup.ClassOption.NESTMATE);
        return generated
                .findConstructor(generated.lookupClass(), MethodType.methodType(void.class))
                .invoke();
    }

    /** False for types that no collection has, and for those that every collection of their kind fits. */
    private static boolean needsCheck(Class<?> type) {
        return type != List.class
                && type != Map.class
                && type != Set.class
                && type != Object.class
                && !Modifier.isFinal(type.getModifiers());
    }

    private static byte kindOf(Class<?> type) {
        if (!type.isPrimitive()) {
            return REFERENCE_KIND;
        }
        if (type == int.class) {
            return PayloadTag.INT;
        }
        if (type == long.class) {
            return PayloadTag.LONG;
        }
        if (type == double.class) {
            return PayloadTag.DOUBLE;
        }
        if (type == boolean.class) {
            return PayloadTag.TRUE;
        }
        if (type == float.class) {
            return PayloadTag.FLOAT;
        }
        if (type == byte.class) {
            return PayloadTag.BYTE;
        }
        return type == short.class ? PayloadTag.SHORT : PayloadTag.CHAR;
    }

    Class<?> record() {
        return record;
    }

    int count() {
        return kinds.length;
    }

    /** Type of a component; {@link #REFERENCE_KIND} or the tag of a primitive ({@code TRUE} for boolean). */
    byte kind(int i) {
        return kinds[i];
    }

    Class<?> type(int i) {
        return types[i];
    }

    /** The component as a step of a path. */
    String step(int i) {
        return "." + names[i];
    }

    /**
     * Checks that what the component's value arrives as fits the component. Only a collection or map arrives as another
     * class than it had.
     *
     * @throws Refusal if it does not, such as a list in a component of a list class that is not of the JDK
     */
    void checkArrival(int i, @Nullable Object component) {
        if (!checked[i] || component == null) {
            return;
        }
        Class<?> arrival = arrivalOf(component);
        if (arrival != null && !types[i].isAssignableFrom(arrival)) {
            throw Refusal.unsupported(
                    "collection would arrive as a class that does not fit",
                    "type",
                    types[i].getName(),
                    "arrives as",
                    arrival.getName(),
                    "remedy",
                    "List, Set or Map as the declared type");
        }
    }

    private static @Nullable Class<?> arrivalOf(Object value) {
        if (value instanceof List<?>) {
            return ArrayList.class;
        }
        if (value instanceof Set<?>) {
            return value instanceof SortedSet<?> ? TreeSet.class : LinkedHashSet.class;
        }
        if (value instanceof Map<?, ?>) {
            return value instanceof SortedMap<?, ?> ? TreeMap.class : LinkedHashMap.class;
        }
        return null;
    }

    /** Hands the components of a record to the sink, in order. */
    void takeApart(Object value, ComponentSink sink) {
        takeApart.accept(value, sink);
    }

    /** Makes a record of what the source yields, in order. */
    Object putTogether(ComponentSource source) {
        return putTogether.apply(source);
    }
}

package dev.knitting.codec;

import java.lang.invoke.MethodHandle;
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
import org.jspecify.annotations.Nullable;

/**
 * Accessors and canonical constructor of a record as method handles, made once per type. Primitive components keep their
 * type, so that writing a record boxes nothing.
 */
final class RecordShape {
    /** Kind of a component that is a reference; a primitive one has its {@link PayloadTag}. */
    static final byte REFERENCE_KIND = 0;

    private final Class<?>[] types;
    private final byte[] kinds;
    private final String[] names;
    // Whether the component's type is none of those that a collection always fits.
    private final boolean[] checked;
    private final MethodHandle[] accessors;
    private final MethodHandle constructor;

    private RecordShape(
            Class<?>[] types,
            byte[] kinds,
            String[] names,
            boolean[] checked,
            MethodHandle[] accessors,
            MethodHandle constructor) {
        this.types = types;
        this.kinds = kinds;
        this.names = names;
        this.checked = checked;
        this.accessors = accessors;
        this.constructor = constructor;
    }

    static RecordShape of(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        int count = components.length;
        Class<?>[] types = new Class<?>[count];
        byte[] kinds = new byte[count];
        String[] names = new String[count];
        boolean[] checked = new boolean[count];
        MethodHandle[] accessors = new MethodHandle[count];
        try {
            MethodHandles.Lookup lookup = lookupIn(type);
            for (int i = 0; i < count; i++) {
                types[i] = components[i].getType();
                kinds[i] = kindOf(types[i]);
                names[i] = components[i].getName();
                checked[i] = needsCheck(types[i]);
                Class<?> carrier = types[i].isPrimitive() ? types[i] : Object.class;
                accessors[i] = lookup.unreflect(components[i].getAccessor())
                        .asType(MethodType.methodType(carrier, Object.class));
            }
            MethodHandle constructor = lookup.findConstructor(type, MethodType.methodType(void.class, types))
                    .asSpreader(Object[].class, count)
                    .asType(MethodType.methodType(Object.class, Object[].class));
            return new RecordShape(types, kinds, names, checked, accessors, constructor);
        } catch (IllegalAccessException | NoSuchMethodException e) {
            throw Refusal.userCode(
                    e,
                    "record is not accessible",
                    "type",
                    type.getName(),
                    "remedy",
                    "opens " + type.getPackageName() + " to dev.knitting");
        }
    }

    private static MethodHandles.Lookup lookupIn(Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            // Not opened to this module: a public record of an exported package works all the same.
            return MethodHandles.publicLookup();
        }
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

    /** Type {@code (Object)P} for a primitive component, {@code (Object)Object} for any other. */
    MethodHandle accessor(int i) {
        return accessors[i];
    }

    /** Type {@code (Object[])Object}. */
    MethodHandle constructor() {
        return constructor;
    }
}

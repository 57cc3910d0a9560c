package dev.knitting.codec;

import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which types of the user may cross, beyond those that always may: records, enums, exceptions and types with a codec of
 * their own, each with an index. Host and worker build the same table from the same signature; {@link #fingerprint} tells
 * whether they did. Nothing that is not in the table is ever decoded.
 *
 * <p>Immutable; any thread may use it. Cheap where nothing is to be found: a signature of JDK types loads nothing more.
 */
public final class TypeTable {
    /** No types beyond the built-in ones. */
    public static final TypeTable EMPTY = new TypeTable(Map.of(), List.of());

    private final Map<Class<?>, TypeEntry> byClass;
    private final TypeEntry[] byIndex;

    TypeTable(Map<Class<?>, TypeEntry> byClass, List<TypeEntry> entries) {
        this.byClass = byClass;
        this.byIndex = entries.toArray(new TypeEntry[0]);
    }

    /**
     * The table of everything that can be reached: through type arguments, array components, record components and the
     * permitted subtypes of sealed types.
     *
     * @param roots parameter types, result type and {@code throws} clauses of a task, generic where known
     * @param registered further types: subtypes that no signature shows, exceptions
     * @param codecs codecs of the user; a type with a codec is never looked into
     * @throws KnittingException {@code UNSUPPORTED_PAYLOAD} if a root, a registered type or something reached from them
     *     can never cross; names it and where it was found
     */
    public static TypeTable of(
            List<? extends Type> roots, List<Class<?>> registered, List<? extends PayloadCodec<?>> codecs) {
        if (registered.isEmpty() && codecs.isEmpty() && areBasic(roots)) {
            return EMPTY;
        }
        TypeWalk walk = new TypeWalk(codecs);
        try {
            for (int i = 0; i < roots.size(); i++) {
                walk.visit(roots.get(i));
            }
            for (int i = 0; i < registered.size(); i++) {
                walk.visitRegistered(registered.get(i));
            }
        } catch (Refusal refusal) {
            throw refusal.toException(walk.where());
        }
        return walk.table();
    }

    private static boolean areBasic(List<? extends Type> roots) {
        for (int i = 0; i < roots.size(); i++) {
            if (!(roots.get(i) instanceof Class<?> type) || !StandardTypes.isBasic(type)) {
                return false;
            }
        }
        return true;
    }

    /** Number of types. */
    public int size() {
        return byIndex.length;
    }

    /**
     * A hash of all names, component names and types, and enum constants in order: equal tables have equal ones, and
     * tables from different versions of a class differ almost always. Computed at each call.
     */
    public int fingerprint() {
        int hash = byIndex.length;
        for (TypeEntry entry : byIndex) {
            hash = entry.mixInto(hash);
        }
        return hash;
    }

    /** The entry of exactly this class, or null. */
    @Nullable
    TypeEntry find(Class<?> type) {
        return byClass.get(type);
    }

    /**
     * The entry with this index.
     *
     * @throws Refusal if there is none
     */
    TypeEntry at(long index) {
        if (index < 0 || index >= byIndex.length) {
            throw Refusal.corrupt("no such type", "index", index, "types", byIndex.length);
        }
        return byIndex[(int) index];
    }
}

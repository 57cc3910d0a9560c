package dev.knitting.codec;

import dev.knitting.SharedBuffer;
import java.util.Set;

/** Which declared types of the JDK a signature may have. By name, so that asking loads none of them. */
final class StandardTypes {
    /** Classes whose values cross as themselves, and collections that arrive as the class that is declared. */
    private static final Set<String> CONCRETE = Set.of(
            "java.util.UUID",
            "java.util.Optional",
            "java.util.OptionalInt",
            "java.util.OptionalLong",
            "java.util.OptionalDouble",
            "java.util.ArrayList",
            "java.util.HashSet",
            "java.util.LinkedHashSet",
            "java.util.TreeSet",
            "java.util.HashMap",
            "java.util.LinkedHashMap",
            "java.util.TreeMap",
            "java.math.BigInteger",
            "java.math.BigDecimal",
            "java.net.URI",
            "java.nio.ByteBuffer",
            "java.nio.file.Path",
            "java.lang.foreign.MemorySegment",
            "java.time.Instant",
            "java.time.Duration",
            "java.time.LocalDate",
            "java.time.LocalTime",
            "java.time.LocalDateTime",
            "java.time.OffsetDateTime",
            "java.time.OffsetTime",
            "java.time.ZonedDateTime",
            "java.time.ZoneId",
            "java.time.ZoneOffset",
            "java.time.Year",
            "java.time.YearMonth",
            "java.time.MonthDay",
            "java.time.Period");

    /** Interfaces and abstract classes that something which crosses fits. */
    private static final Set<String> ABSTRACT = Set.of(
            "java.lang.Object",
            "java.lang.Number",
            "java.lang.Comparable",
            "java.lang.CharSequence",
            "java.lang.Iterable",
            "java.lang.Record",
            "java.lang.Enum",
            "java.lang.constant.Constable",
            "java.lang.constant.ConstantDesc",
            "java.io.Serializable",
            "java.util.Collection",
            "java.util.SequencedCollection",
            "java.util.List",
            "java.util.AbstractCollection",
            "java.util.AbstractList",
            "java.util.RandomAccess",
            "java.util.Set",
            "java.util.SequencedSet",
            "java.util.SortedSet",
            "java.util.NavigableSet",
            "java.util.AbstractSet",
            "java.util.Map",
            "java.util.SequencedMap",
            "java.util.SortedMap",
            "java.util.NavigableMap",
            "java.util.AbstractMap",
            "java.time.temporal.Temporal",
            "java.time.temporal.TemporalAccessor",
            "java.time.temporal.TemporalAmount",
            "java.time.chrono.ChronoLocalDate",
            "java.nio.Buffer");

    private StandardTypes() {}

    /** Whether a root of this type needs no table at all; the common cases only, at little cost. */
    static boolean isBasic(Class<?> type) {
        return type.isPrimitive()
                || type == String.class
                || type == Long.class
                || type == Integer.class
                || type == Double.class
                || type == Boolean.class
                || type == Void.class
                || type == byte[].class
                || (type.isArray() && isBasic(type.getComponentType()));
    }

    /** Whether the type is one that crosses without being in a table. */
    static boolean isBuiltIn(Class<?> type) {
        if (isBasic(type)
                || type == Byte.class
                || type == Short.class
                || type == Character.class
                || type == Float.class) {
            return true;
        }
        if (type == SharedBuffer.class) {
            return true;
        }
        if (!isOfJdk(type)) {
            return false;
        }
        return CONCRETE.contains(type.getName())
                || ABSTRACT.contains(type.getName())
                || Throwable.class.isAssignableFrom(type);
    }

    /** Whether the type's package is one that only the JDK may define. */
    static boolean isOfJdk(Class<?> type) {
        return type.getName().startsWith("java.");
    }
}

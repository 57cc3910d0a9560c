package dev.knitting.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The component type of an array of references, written as dimensions and base type: a number below {@value
 * #FIRST_OF_TABLE} names one of the JDK, any other one of the table.
 */
final class ComponentType {
    private static final int FIRST_OF_TABLE = 64;
    /** More dimensions than anybody uses; keeps a peer from filling the memory with array classes. */
    private static final int MAX_DIMENSIONS = 8;

    /** The position in this array crosses: append only. */
    private static final Class<?>[] BASES = {
        Object.class,
        String.class,
        boolean.class,
        byte.class,
        short.class,
        char.class,
        int.class,
        long.class,
        float.class,
        double.class,
        Boolean.class,
        Byte.class,
        Short.class,
        Character.class,
        Integer.class,
        Long.class,
        Float.class,
        Double.class,
        Number.class,
        CharSequence.class,
        Comparable.class,
        BigInteger.class,
        BigDecimal.class,
        UUID.class,
        Instant.class,
        Duration.class,
        LocalDate.class,
        LocalTime.class,
        LocalDateTime.class,
        OffsetDateTime.class,
        ZonedDateTime.class,
        URI.class,
        Path.class,
        Optional.class,
        Collection.class,
        List.class,
        Set.class,
        Map.class,
        ByteBuffer.class,
        Throwable.class,
    };

    private ComponentType() {}

    static void write(Class<?> component, TypeTable types, ByteWriter out) {
        int dimensions = 0;
        Class<?> base = component;
        while (base.isArray()) {
            base = base.getComponentType();
            dimensions++;
        }
        if (dimensions > MAX_DIMENSIONS) {
            throw Refusal.unsupported("array has too many dimensions", "limit", MAX_DIMENSIONS + 1);
        }
        out.putByte(dimensions);
        out.putLength(numberOf(base, types));
    }

    private static int numberOf(Class<?> base, TypeTable types) {
        for (int i = 0; i < BASES.length; i++) {
            if (BASES[i] == base) {
                return i;
            }
        }
        TypeEntry entry = types.find(base);
        if (entry == null) {
            throw Refusal.unsupported(
                    "component type of an array cannot cross",
                    "type",
                    base.getName(),
                    "remedy",
                    "declare it in the task's signature, or register(...) it on the pool");
        }
        return FIRST_OF_TABLE + entry.index();
    }

    static Class<?> read(TypeTable types, ByteReader in) {
        int dimensions = in.getByte();
        int number = in.getLength();
        if (dimensions < 0 || dimensions > MAX_DIMENSIONS) {
            throw Refusal.corrupt("array has too many dimensions", "dimensions", dimensions, "limit", MAX_DIMENSIONS);
        }
        Class<?> type = base(number, types);
        if (dimensions == 0 && type.isPrimitive()) {
            throw Refusal.corrupt("not an array of references", "type", type);
        }
        for (int i = 0; i < dimensions; i++) {
            type = type.arrayType();
        }
        return type;
    }

    private static Class<?> base(int number, TypeTable types) {
        if (number >= FIRST_OF_TABLE) {
            return types.at(number - FIRST_OF_TABLE).type();
        }
        if (number >= BASES.length) {
            throw Refusal.corrupt("no such component type", "number", number);
        }
        return BASES[number];
    }
}

package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StructureRoundTripTest {
    private final ValueCodec codec = Crossing.codec(DayOfWeek.class);

    static Stream<Object> leaves() {
        return Stream.of(
                "text",
                "\u20ac\ud800\0",
                1,
                2L,
                3.5,
                true,
                false,
                (byte) -1,
                (short) -2,
                'c',
                1.5f,
                new UUID(1, -2),
                Instant.MAX,
                Duration.ofSeconds(-1, 5),
                LocalDate.MIN,
                LocalDate.MAX,
                LocalTime.MAX,
                LocalDateTime.MIN,
                LocalDateTime.MAX,
                OffsetDateTime.MAX,
                OffsetTime.MIN,
                ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 7, ZoneId.of("Europe/Berlin"))
                        .withLaterOffsetAtOverlap(),
                ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 7, ZoneOffset.ofHours(-3)),
                ZoneId.of("America/New_York"),
                ZoneOffset.MIN,
                Year.of(-5),
                YearMonth.of(2026, 12),
                MonthDay.of(2, 29),
                Period.of(1, -2, 3),
                DayOfWeek.SUNDAY,
                OptionalInt.empty(),
                OptionalInt.of(-1),
                OptionalLong.empty(),
                OptionalLong.of(Long.MIN_VALUE),
                OptionalDouble.empty(),
                OptionalDouble.of(-0.0),
                Optional.empty(),
                Optional.of("x"),
                BigInteger.ZERO,
                BigInteger.ONE.shiftLeft(5000).negate(),
                new BigDecimal("-1.10"),
                new BigDecimal(BigInteger.TEN, Integer.MIN_VALUE),
                URI.create("https://user@example.org:81/a%20b?q=\u00e9#f"),
                Path.of("a", "b c"),
                Path.of("/"));
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void cross_leaf_keepsValueAndClass(Object value) {
        assertThat(Crossing.cross(codec, value)).isEqualTo(value).hasSameClassAs(value);
        assertThat(Crossing.cross(codec, Collections.singletonList(value))).isEqualTo(List.of(value));
    }

    @Property(tries = 300)
    void cross_bigNumbers_keepValueAndScale(@ForAll BigInteger unscaled, @ForAll int scale) {
        assertThat(Crossing.cross(codec, unscaled)).isEqualTo(unscaled);
        assertThat(Crossing.cross(codec, new BigDecimal(unscaled, scale))).isEqualTo(new BigDecimal(unscaled, scale));
    }

    @Test
    void cross_collections_arriveMutableInOrderWithNulls() {
        List<Object> list = new LinkedList<>(Arrays.asList(1, null, "x"));
        assertThat(Crossing.cross(codec, list))
                .isExactlyInstanceOf(ArrayList.class)
                .isEqualTo(list);
        Set<Object> set = new LinkedHashSet<>(Arrays.asList("z", null, "a"));
        Set<?> arrivedSet = (Set<?>) Crossing.cross(codec, set);
        assertThat(arrivedSet).isExactlyInstanceOf(LinkedHashSet.class);
        assertThat(new ArrayList<Object>(arrivedSet)).containsExactly("z", null, "a");
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("z", null);
        map.put(null, 1);
        map.put("a", List.of());
        Map<?, ?> arrivedMap = (Map<?, ?>) Crossing.cross(codec, map);
        assertThat(arrivedMap).isExactlyInstanceOf(LinkedHashMap.class).isEqualTo(map);
        assertThat(new ArrayList<Object>(arrivedMap.keySet())).containsExactly("z", null, "a");
    }

    @Test
    void cross_anyListSetOrMap_arrivesAsTheUsualOne() {
        assertThat(Crossing.cross(codec, List.of(1, 2))).isExactlyInstanceOf(ArrayList.class);
        assertThat(Crossing.cross(codec, Collections.unmodifiableMap(Map.of(1, 2))))
                .isEqualTo(Map.of(1, 2));
        assertThat(Crossing.cross(codec, new ConcurrentHashMap<>(Map.of(1, 2)))).isEqualTo(Map.of(1, 2));
        assertThat(Crossing.cross(codec, new EnumMap<>(Map.of(DayOfWeek.FRIDAY, 2))))
                .isEqualTo(Map.of(DayOfWeek.FRIDAY, 2));
        assertThat(Crossing.cross(codec, new HashMap<>(Map.of(1, 2)).keySet())).isEqualTo(Set.of(1));
    }

    @Test
    void cross_sortedCollections_staySorted() {
        assertThat(Crossing.cross(codec, new TreeMap<>(Map.of("b", 1, "a", 2))))
                .isEqualTo(Map.of("b", 1, "a", 2))
                .isExactlyInstanceOf(TreeMap.class);
        assertThat(Crossing.cross(codec, new ConcurrentSkipListSet<>(Set.of(3, 1))))
                .isEqualTo(Set.of(1, 3))
                .isExactlyInstanceOf(TreeSet.class);
    }

    @Test
    void encode_sortedWithComparator_isRefused() {
        TreeSet<String> reversed = new TreeSet<>(Comparator.reverseOrder());
        assertRefused(reversed, "comparator");
        assertRefused(new TreeMap<>(reversed.comparator()), "comparator");
    }

    @Test
    void cross_arraysOfReferences_keepTheComponentType() {
        for (Object array : List.of(
                new String[] {"a", null},
                new Object[] {1, "x", new int[] {1}},
                new int[][] {{1}, null, {}},
                new Integer[0],
                new String[][][] {{{"x"}}},
                new DayOfWeek[] {DayOfWeek.MONDAY},
                new Comparable<?>[] {1, "x"},
                new List<?>[] {List.of(1)})) {
            assertThat(Crossing.cross(codec, array)).isEqualTo(array).hasSameClassAs(array);
        }
    }

    @Test
    void cross_millionElements_fine() {
        ValueCodec large = new ValueCodec(TypeTable.EMPTY, 64 << 20);
        List<Integer> list = IntStream.range(0, 1_000_000).boxed().toList();
        assertThat(Crossing.cross(large, list)).isEqualTo(list);
    }

    @Test
    void cross_largeSetsAndMaps_fine() {
        ValueCodec large = new ValueCodec(TypeTable.EMPTY, 64 << 20);
        Set<Object> set = new LinkedHashSet<>();
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < 300_000; i++) {
            set.add((double) i);
            map.put(List.of(i % 500, i / 500), i); // 31 * x + y: many share a hash
        }
        assertThat(Crossing.cross(large, set)).isEqualTo(set);
        assertThat(Crossing.cross(large, map)).isEqualTo(map);
    }

    @Test
    void encode_collectionThatThrows_namesThePlaceAndKeepsTheCause() {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        List<Object> hostile = new ArrayList<>() {
            @Override
            public java.util.Iterator<Object> iterator() {
                throw new IllegalStateException("mine");
            }
        };
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(List.of(list, hostile), new Payload()))
                .withMessageContaining("[1][0]")
                .withMessageContaining("java.lang.IllegalStateException")
                .withCauseExactlyInstanceOf(IllegalStateException.class);
    }

    @Test
    void encode_unsupported_isRefusedByNameAndPlace() {
        assertRefused(Thread.currentThread(), "java.lang.Thread");
        assertRefused(new Object(), "java.lang.Object");
        assertRefused(String.class, "java.lang.Class");
        Runnable lambda = () -> {};
        assertRefused(lambda, "a lambda cannot cross");
        assertRefused(List.of(1, Map.of("k", new Object())), "[1].value[0]");
        assertRefused(new StringBuilder(), "java.lang.StringBuilder");
        assertRefused(new Thread[0], "java.lang.Thread");
        assertRefused(new Object[] {null, new Object()}, "Object[][1]");
    }

    @Test
    void encodeAll_anyTuple_crosses() {
        Object[] values = {1, null, "x", List.of(2), new long[] {3}, 4.5};
        Payload sent = new Payload();
        codec.encodeAll(values, sent);
        Object[] arrived = codec.decodeAll(Crossing.carry(sent, java.lang.foreign.Arena.ofAuto()));
        assertThat(arrived).isEqualTo(values);
        codec.encodeAll(new Object[0], sent);
        assertThat(codec.decodeAll(sent)).isEmpty();
    }

    @Test
    void encodeAll_unsupportedArgument_namesIt() {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encodeAll(new Object[] {1, List.of(new Object())}, new Payload()))
                .withMessageContaining("argument[1][0]");
    }

    private void assertRefused(Object value, String fragment) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(value, new Payload()))
                .withMessageContaining(fragment)
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Property(tries = 1000)
    void cross_anyStructure_isEqual(@ForAll long seed) {
        Object value = structure(new Random(seed), leaves().toList(), 4);
        assertThat(Crossing.cross(codec, value)).isEqualTo(value);
    }

    /** Written by hand: the library's recursive generators take minutes for a type as wide as Object. */
    private static Object structure(Random random, List<Object> leaves, int levels) {
        int kind = levels == 0 ? 0 : random.nextInt(6);
        if (kind < 2) {
            return leaves.get(random.nextInt(leaves.size()));
        }
        if (kind == 2) {
            return Optional.of(structure(random, leaves, levels - 1));
        }
        List<Object> parts = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            parts.add(random.nextInt(8) == 0 ? null : structure(random, leaves, levels - 1));
        }
        if (kind == 3) {
            return new LinkedHashSet<>(parts);
        }
        if (kind == 4) {
            Map<Object, Object> map = new LinkedHashMap<>();
            parts.forEach(part -> map.put(part, structure(random, leaves, levels - 1)));
            return map;
        }
        return parts;
    }
}

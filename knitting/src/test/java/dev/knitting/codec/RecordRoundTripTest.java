package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RecordRoundTripTest {
    private record Item(String name, double price, Object extra) {}

    private record Order(long id, List<Item> items, Map<String, Double> rates, Optional<Order> previous) {}

    private record Primitives(
            boolean a, byte b, short c, char d, int e, long f, float g, double h, String i, int[] j, Integer k) {}

    private record Nothing() {}

    private record Box<T>(T value) {}

    private sealed interface Shape permits Circle, Square, Blob {}

    private record Circle(double radius) implements Shape {}

    private record Square(double side) implements Shape {}

    private static final class Blob implements Shape {}

    private record Drawing(Shape main, Shape[] others) {}

    private record Classes(HashMap<String, Integer> hash, ArrayList<String> list, TreeMap<String, Integer> tree) {}

    private record Abstract(AbstractList<String> list) {}

    private record Picky(int value) {
        static int highest = Integer.MAX_VALUE;

        Picky {
            if (value > highest) {
                throw new IllegalArgumentException("too high");
            }
        }
    }

    private record BadAccessor(int value) {
        @Override
        public int value() {
            throw new UnsupportedOperationException("secret");
        }
    }

    private final ValueCodec codec = Crossing.codec(
            Order.class,
            Primitives.class,
            Nothing.class,
            Box.class,
            Drawing.class,
            Classes.class,
            Abstract.class,
            Picky.class,
            BadAccessor.class);

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void cross_everyKindOfComponent_keepsIt(
            @ForAll boolean a,
            @ForAll byte b,
            @ForAll short c,
            @ForAll char d,
            @ForAll int e,
            @ForAll long f,
            @ForAll float g,
            @ForAll double h,
            @ForAll String i,
            @ForAll int[] j) {
        Primitives sent = new Primitives(a, b, c, d, e, f, g, h, i, j, null);
        Primitives arrived = (Primitives) Crossing.cross(codec, sent);
        assertThat(arrived).usingRecursiveComparison().isEqualTo(sent);
    }

    @Test
    void cross_nestedPrivateRecords_areEqual() {
        Order first = new Order(1, new ArrayList<>(), null, Optional.empty());
        first.items().add(new Item("x", 1.5, new Nothing()));
        first.items().add(null);
        Order second = new Order(2, List.of(), Map.of("a", 1.0), Optional.of(first));
        assertThat(Crossing.cross(codec, second)).isEqualTo(second);
        assertThat(Crossing.cross(codec, List.of(first, first))).isEqualTo(List.of(first, first));
    }

    @Test
    void cross_manyTimes_staysEqual() {
        // The shape of a record may be replaced by a faster one after a number of uses.
        Primitives sent = new Primitives(true, (byte) 1, (short) 2, 'd', 5, 6, 7, 8, "i", null, 11);
        Payload payload = new Payload();
        for (int i = 0; i < 20_000; i++) {
            codec.encode(sent, payload);
            assertThat(codec.decode(payload).equals(sent)).isTrue();
        }
    }

    /** User code may use the pool, and so the same thread's payload. */
    @Test
    void encode_accessorThatEncodesWithTheSamePayload_disturbsNothing() {
        Payload payload = new Payload();
        Busy.whenAsked = () -> {
            codec.encode(new Box<>(List.of(1, 2, 3)), payload);
            assertThat(codec.decode(payload)).isEqualTo(new Box<>(List.of(1, 2, 3)));
        };
        ValueCodec busy = Crossing.codec(Busy.class);
        busy.encode(new Busy("before", 7, "after"), payload);
        assertThat(busy.decode(payload)).isEqualTo(new Busy("before", 7, "after"));
    }

    private record Busy(String first, int middle, String last) {
        static Runnable whenAsked = () -> {};

        Busy {
            whenAsked.run();
        }

        @Override
        public int middle() {
            whenAsked.run();
            return middle;
        }
    }

    @Test
    void cross_genericRecord_keepsItsValue() {
        assertThat(Crossing.cross(codec, new Box<>(new Box<>("x")))).isEqualTo(new Box<>(new Box<>("x")));
        assertThat(Crossing.cross(codec, new Box<>(null))).isEqualTo(new Box<>(null));
    }

    @Test
    void cross_sealedHierarchy_keepsTheSubtypes() {
        Drawing sent = new Drawing(new Circle(1), new Shape[] {new Square(2), null});
        Drawing arrived = (Drawing) Crossing.cross(codec, sent);
        assertThat(arrived.main()).isEqualTo(sent.main());
        assertThat(arrived.others()).isEqualTo(sent.others()).hasSameClassAs(sent.others());
    }

    @Test
    void cross_componentsOfCollectionClasses_fit() {
        Classes sent = new Classes(
                new HashMap<>(Map.of("a", 1)), new ArrayList<>(List.of("b")), new TreeMap<>(Map.of("c", 2)));
        assertThat(Crossing.cross(codec, sent)).isEqualTo(sent);
    }

    @Test
    void encode_listThatWouldNotFitWhenItArrives_isRefusedOnTheWayOut() {
        AbstractList<String> fits = new ArrayList<>(List.of("x"));
        assertThat(Crossing.cross(codec, new Abstract(fits))).isEqualTo(new Abstract(fits));
        record Own(OwnList list) {}
        ValueCodec own = Crossing.codec(Own.class);
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> own.encode(new Own(new OwnList() {}), new Payload()))
                .withMessageContaining("arrives as=java.util.ArrayList")
                .withMessageContaining("Own.list");
    }

    private abstract static class OwnList extends ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void encode_deepInside_namesThePath() {
        Order order = new Order(1, List.of(new Item("ok", 1, null), new Item("bad", 2, new Object())), null, null);
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(order, new Payload()))
                .withMessageContaining("type=java.lang.Object")
                .withMessageContaining("at=Order.items[1].extra")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Test
    void encode_typesNotInTheTable_areRefusedByName() {
        record Stranger(int x) {}
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(new Box<>(new Stranger(1)), new Payload()))
                .withMessageContaining("Stranger")
                .withMessageContaining("register(...)")
                .withMessageContaining("at=Box.value");
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(new Drawing(new Blob(), null), new Payload()))
                .withMessageContaining("Blob")
                .withMessageContaining("at=Drawing.main");
    }

    @Test
    void encode_accessorThrows_namesIt() {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(new BadAccessor(1), new Payload()))
                .withMessageContaining("UnsupportedOperationException")
                .withMessageContaining("at=BadAccessor.value")
                .withCauseExactlyInstanceOf(UnsupportedOperationException.class)
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Test
    void decode_constructorThrows_failsTheCallAndBlamesNotThePeer() {
        Payload sent = new Payload();
        codec.encode(List.of(new Picky(7)), sent);
        Picky.highest = 6;
        try {
            assertThatExceptionOfType(KnittingException.class)
                    .isThrownBy(() -> codec.decode(sent))
                    .withMessageContaining("Picky")
                    .withMessageContaining("[0]")
                    .withCauseExactlyInstanceOf(IllegalArgumentException.class)
                    .extracting(KnittingException::code)
                    .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
        } finally {
            Picky.highest = Integer.MAX_VALUE;
        }
    }

    @Test
    void encode_cycle_isRefusedWithTheLimit() {
        List<Object> cycle = new ArrayList<>();
        cycle.add(new Box<>(cycle));
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(cycle, new Payload()))
                .withMessageContaining("cycle")
                .withMessageContaining("limit=" + ValueCodec.DEFAULT_MAX_DEPTH)
                .withMessageContaining("[0].value[0].value")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Test
    void cross_exactlyTheDepthLimit_fine() {
        ValueCodec shallow = new ValueCodec(TypeTable.EMPTY, 1 << 16, 3);
        Object atLimit = List.of(List.of(Collections.singletonMap("k", "v")));
        assertThat(Crossing.cross(shallow, atLimit)).isEqualTo(atLimit);
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> shallow.encode(List.of(atLimit), new Payload()))
                .withMessageContaining("limit=3");
    }

    @Test
    void decode_deeperThanTheLimit_isCorrupt() {
        Payload sent = new Payload();
        new ValueCodec(TypeTable.EMPTY, 1 << 16, 4).encode(List.of(List.of(List.of(List.of()))), sent);
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> new ValueCodec(TypeTable.EMPTY, 1 << 16, 3).decode(sent))
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.CORRUPT_PEER);
    }

    /** Shared subtrees are written twice, so a small value may have no end: the cap ends it. */
    @Test
    void encode_exponentiallyMany_endsAtTheCap() {
        Object value = "x";
        for (int i = 0; i < 60; i++) {
            value = List.of(value, value);
        }
        Object explosive = value;
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(explosive, new Payload()))
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
    }
}

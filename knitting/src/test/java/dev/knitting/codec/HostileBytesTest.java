package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A peer may write anything: decoding ends with a value or a {@link KnittingException}, and allocates little. */
class HostileBytesTest {
    private enum Colour {
        RED,
        GREEN
    }

    private record Item(String name, int count, Colour colour) {}

    private record Order(long id, List<Item> items, Map<String, Item> index, Order[] more, Object any) {}

    private final ValueCodec codec = Crossing.codec(Order.class);
    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Property(tries = 5_000)
    void decode_randomBytes_endsWithValueOrKnittingException(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        if (random.nextBoolean() && bytes.length > 0) {
            // Small numbers are mostly tags: get further into the decoder.
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) random.nextInt(70);
            }
        }
        Payload payload = payload(tag(random), bytes);
        payload.word0 = random.nextBoolean() ? random.nextLong() : random.nextInt(4);
        payload.word1 = random.nextBoolean() ? random.nextLong() : random.nextInt(4);
        payload.headerLength = random.nextBoolean() ? random.nextInt(40) : random.nextInt();
        decodeEverything(payload);
    }

    @Property(tries = 3_000)
    void decode_mutatedBytes_endsWithValueOrKnittingException(@ForAll long seed) {
        Random random = new Random(seed);
        Payload sent = new Payload();
        switch (random.nextInt(3)) {
            case 0 -> codec.encode(sample(), sent);
            case 1 -> codec.encodeAll(new Object[] {sample(), 1, "x"}, sent);
            default -> codec.encodeFailure(new IllegalStateException("x", new java.io.IOException("y")), sent);
        }
        byte[] bytes =
                sent.body.asSlice(sent.bodyOffset, sent.bodyLength).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(70));
        }
        decodeEverything(payload(sent.tag, bytes));
    }

    @Test
    void decode_everyTruncation_isCorrupt() {
        Payload sent = new Payload();
        codec.encode(sample(), sent);
        byte[] bytes = sent.body.asSlice(0, sent.bodyLength).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        for (int length = 0; length < bytes.length; length++) {
            assertCorrupt(payload(PayloadTag.STRUCTURE, java.util.Arrays.copyOf(bytes, length)));
        }
        assertCorrupt(payload(PayloadTag.STRUCTURE, java.util.Arrays.copyOf(bytes, bytes.length + 1)));
    }

    @Test
    void decode_lengthsThatTheBodyCannotHold_allocateNothing() {
        for (byte tag : tags()) {
            byte[] bytes = new byte[64];
            java.util.Arrays.fill(bytes, (byte) 0x7f); // huge counts and lengths in every form
            bytes[0] = tag;
            long before = threads.getCurrentThreadAllocatedBytes();
            decodeEverything(payload(PayloadTag.STRUCTURE, bytes));
            decodeEverything(payload(tag, bytes));
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as("tag %d", tag)
                    .isLessThan(4L << 20);
        }
    }

    /** Each level claims as many elements as bytes are left, and never sends them. */
    @Test
    void decode_nestedCountsThatLie_allocateLittle() {
        byte[] bytes = new byte[1 << 20];
        for (byte tag :
                new byte[] {PayloadTag.LIST, PayloadTag.SET, PayloadTag.MAP, PayloadTag.ARRAY, PayloadTag.THROWABLE}) {
            Payload payload = new Payload();
            ByteWriter out = payload.takeWriter();
            out.begin(1 << 20);
            for (int level = 0; level < 100; level++) {
                out.putByte(tag);
                if (tag == PayloadTag.ARRAY) {
                    out.putByte(0); // dimensions
                    out.putLength(0); // Object
                }
                if (tag == PayloadTag.THROWABLE) {
                    out.putByte(0); // neither message nor cause
                    out.putLength(0); // no type of the table
                    out.putByte(PayloadTag.STRING_LATIN1);
                    out.putLength(0);
                    out.putInt(0); // frames; suppressed ones are next, each without the tag
                }
                out.putInt(bytes.length / 2 - 2_000);
            }
            out.putBytes(bytes, 0, 1 << 19);
            payload.setBody(PayloadTag.STRUCTURE, out.segment(), out.position());
            long before = threads.getCurrentThreadAllocatedBytes();
            assertCorrupt(payload);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as("tag %d", tag)
                    .isLessThan(16L << 20);
        }
    }

    /** Room grows with what arrives: nothing is lost where it does. */
    @Test
    void decode_wideCollectionsAndArrays_arriveWhole() {
        List<Integer> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(i);
        }
        assertThat(Crossing.cross(codec, many)).isEqualTo(many);
        for (int length : new int[] {4095, 4096, 4097, 8192, 8193}) {
            Object[] array = many.subList(0, length).toArray(new Integer[0]);
            assertThat((Object[]) Crossing.cross(codec, array)).isEqualTo(array).hasSize(length);
        }
    }

    @Test
    void decode_zeroedPayload_isCorrupt() {
        assertCorrupt(new Payload());
        assertCorrupt(payload(PayloadTag.REFERENCE, new byte[0]));
        assertCorrupt(payload(PayloadTag.FAILURE, new byte[10]));
        assertCorrupt(payload(PayloadTag.STRUCTURE, new byte[0]));
    }

    /** Takes hours without the guard. */
    @Test
    void decode_manyCollidingKeys_isCorrupt() {
        int count = 200_000;
        for (byte tag : new byte[] {PayloadTag.SET, PayloadTag.MAP}) {
            Payload payload = new Payload();
            ByteWriter out = payload.takeWriter();
            out.begin(64 << 20);
            out.putByte(tag);
            out.putInt(count);
            for (int i = 0; i < count; i++) {
                out.putByte(PayloadTag.LIST); // hash 31 * (31 + i) - 31 * i, always the same
                out.putInt(2);
                out.putByte(PayloadTag.INT);
                out.putInt(i);
                out.putByte(PayloadTag.INT);
                out.putInt(-31 * i);
                if (tag == PayloadTag.MAP) {
                    out.putByte(PayloadTag.NULL);
                }
            }
            payload.setBody(PayloadTag.STRUCTURE, out.segment(), out.position());
            assertCorrupt(payload);
        }
    }

    @Test
    void decode_nanosecondsBeyondASecond_isCorrupt() {
        Payload payload = new Payload();
        for (byte tag : new byte[] {PayloadTag.INSTANT, PayloadTag.DURATION}) {
            for (long nanos : new long[] {-1, 1_000_000_000, Long.MAX_VALUE}) {
                payload.setWords(tag, 0, nanos);
                assertCorrupt(payload);
            }
        }
        payload.setWords(PayloadTag.INSTANT, Long.MAX_VALUE, 0);
        assertCorrupt(payload);
    }

    @Test
    void decode_bodyOutsideItsMemory_isCorrupt() {
        for (byte tag : tags()) {
            for (long[] span :
                    new long[][] {{-1, 4}, {0, 11}, {8, 3}, {Long.MAX_VALUE, 2}, {0, Long.MAX_VALUE}, {4, -1}}) {
                Payload payload = payload(tag, new byte[10]);
                payload.bodyOffset = span[0];
                payload.bodyLength = span[1];
                decodeEverything(payload);
            }
        }
        Payload payload = payload(PayloadTag.BYTES, new byte[10]);
        payload.bodyLength = 11;
        assertCorrupt(payload);
    }

    @Test
    void decode_typeIndexBeyondTheTable_isCorrupt() {
        Payload enumConstant = new Payload();
        enumConstant.setWords(PayloadTag.ENUM, 99, 0);
        assertCorrupt(enumConstant);
        enumConstant.setWords(PayloadTag.ENUM, 0, 0); // a record
        assertCorrupt(enumConstant);
        enumConstant.setWords(PayloadTag.ENUM, 2, 2);
        assertCorrupt(enumConstant);
        assertCorrupt(payload(PayloadTag.STRUCTURE, new byte[] {PayloadTag.RECORD, 17}));
    }

    @Test
    void decode_componentOfAnotherType_isCorruptAndNamesThePlace() {
        byte[] bytes = {PayloadTag.RECORD, 1, PayloadTag.OPTIONAL_EMPTY, 0, 0, 0, 0, PayloadTag.NULL};
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.decode(payload(PayloadTag.STRUCTURE, bytes)))
                .withMessageContaining("wanted=java.lang.String")
                .withMessageContaining("at=value.name")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.CORRUPT_PEER);
    }

    private void assertCorrupt(Payload payload) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.decode(payload))
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.CORRUPT_PEER);
    }

    private void decodeEverything(Payload payload) {
        for (Runnable way : List.<Runnable>of(
                () -> codec.decode(payload), () -> codec.decodeAll(payload), () -> codec.decodeFailure(payload))) {
            try {
                way.run();
            } catch (KnittingException expected) {
                assertThat(expected.code()).isIn(ErrorCode.CORRUPT_PEER, ErrorCode.UNSUPPORTED_PAYLOAD);
            } catch (Throwable unexpected) {
                fail("tag " + payload.tag, unexpected);
            }
        }
    }

    private static Order sample() {
        Item item = new Item("item\u20ac", 3, Colour.GREEN);
        Order inner = new Order(1, List.of(item), Map.of("k", item), null, java.time.Instant.EPOCH);
        return new Order(2, List.of(), Map.of(), new Order[] {inner, null}, List.of(1, 2.5, "x", new int[] {7}));
    }

    private static Payload payload(byte tag, byte[] bytes) {
        Payload payload = new Payload();
        payload.setBody(tag, MemorySegment.ofArray(bytes), bytes.length);
        return payload;
    }

    private static byte tag(Random random) {
        List<Byte> tags = tags();
        return random.nextInt(3) == 0 ? PayloadTag.STRUCTURE : tags.get(random.nextInt(tags.size()));
    }

    private static List<Byte> tags() {
        List<Byte> tags = new ArrayList<>();
        for (Field field : PayloadTag.class.getFields()) {
            try {
                tags.add(field.getByte(null));
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
        return tags;
    }
}

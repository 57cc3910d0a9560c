package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockRoundTripTest {
    private static final int CAP = 70_000;

    private final ValueCodec codec = new ValueCodec(TypeTable.EMPTY, CAP);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 33, 511, 512, 513, 8191, 8192, 8193, 65_536, CAP - 1, CAP})
    void cross_primitiveArraysOfAnyLength_keepContentAndClass(int bytes) {
        for (Object array : arrays(bytes)) {
            assertThat(Crossing.cross(codec, array))
                    .isEqualTo(array)
                    .hasSameClassAs(array)
                    .isNotSameAs(array);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 33, 511, 512, 513, 65_536})
    void cross_primitiveArraysInsideAList_keepContentAndClass(int bytes) {
        for (Object array : arrays(bytes)) {
            List<?> list = (List<?>) Crossing.cross(codec, List.of("before", array, "after"));
            assertThat(list.get(1)).isEqualTo(array).hasSameClassAs(array);
            assertThat(list.get(2)).isEqualTo("after");
        }
    }

    @Test
    void encode_primitiveArray_handsOutTheCallersOwnMemory() {
        long[] array = {1, 2, 3};
        Payload sent = new Payload();
        codec.encode(array, sent);
        assertThat(sent.body.heapBase()).containsSame(array);
        assertThat(sent.bodyLength).isEqualTo(24);
    }

    @Test
    void encode_beyondTheCap_isRefusedWithLengthLimitAndType() {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(new int[CAP / 4 + 1], new Payload()))
                .withMessageContaining("payload too large: length=70004, limit=70000, option=payload.maxBytes")
                .withMessageContaining("int[]")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(List.of(new byte[CAP]), new Payload()))
                .withMessageContaining("limit=70000")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
    }

    @Test
    void encode_refused_leavesThePayloadCleared() {
        Payload payload = new Payload();
        codec.encode(new byte[100], payload);
        assertThatExceptionOfType(KnittingException.class).isThrownBy(() -> codec.encode(new byte[CAP + 1], payload));
        assertThat(payload.body).isNull();
        assertThat(payload.bodyLength).isZero();
        assertThat(payload.tag).isZero();
    }

    @Test
    void cross_byteBuffer_arrivesAsHeapBufferOfTheRemainingBytes() {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            ByteBuffer direct = ByteBuffer.allocateDirect(20).order(order);
            direct.putInt(4, 0x01020304).position(4).limit(12);
            for (ByteBuffer buffer : List.of(direct, direct.asReadOnlyBuffer().order(order))) {
                ByteBuffer arrived = (ByteBuffer) Crossing.cross(codec, buffer);
                assertThat(arrived.hasArray()).isTrue();
                assertThat(arrived.position()).isZero();
                assertThat(arrived.remaining()).isEqualTo(8);
                assertThat(arrived.order()).isEqualTo(order);
                assertThat(arrived.getInt(0)).isEqualTo(0x01020304);
                List<?> nested = (List<?>) Crossing.cross(codec, List.of(buffer));
                assertThat(((ByteBuffer) nested.get(0)).order()).isEqualTo(order);
                assertThat(nested.get(0)).isEqualTo(arrived);
            }
            assertThat(direct.position()).isEqualTo(4);
        }
    }

    @Test
    void cross_memorySegment_arrivesAsHeapSegment() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(33);
            segment.set(ValueLayout.JAVA_BYTE, 32, (byte) 7);
            MemorySegment arrived = (MemorySegment) Crossing.cross(codec, segment);
            assertThat(arrived.heapBase()).isPresent();
            assertThat(arrived.mismatch(segment)).isEqualTo(-1);
        }
    }

    @Test
    void encode_closedSegment_isRefused() {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(8);
        }
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(closed, new Payload()))
                .withMessageContaining("alive=false")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Test
    void encode_segmentOfAnotherThread_isRefused() throws Exception {
        List<Throwable> thrown = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(8);
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    codec.encode(segment, new Payload());
                } catch (KnittingException e) {
                    thrown.add(e);
                }
            });
            other.join();
        }
        assertThat(thrown)
                .singleElement()
                .satisfies(refused -> assertThat(refused).hasMessageContaining("memory segment cannot be read"));
    }

    private static List<Object> arrays(int bytes) {
        byte[] random = new byte[bytes];
        new Random(bytes).nextBytes(random);
        ByteBuffer source = ByteBuffer.wrap(random);
        boolean[] booleans = new boolean[bytes];
        for (int i = 0; i < bytes; i++) {
            booleans[i] = random[i] > 0;
        }
        short[] shorts = new short[bytes / 2];
        source.asShortBuffer().get(shorts);
        char[] chars = new char[bytes / 2];
        source.asCharBuffer().get(chars);
        int[] ints = new int[bytes / 4];
        source.asIntBuffer().get(ints);
        long[] longs = new long[bytes / 8];
        source.asLongBuffer().get(longs);
        float[] floats = new float[bytes / 4];
        source.asFloatBuffer().get(floats);
        double[] doubles = new double[bytes / 8];
        source.asDoubleBuffer().get(doubles);
        return List.of(random, booleans, shorts, chars, ints, longs, floats, doubles);
    }
}

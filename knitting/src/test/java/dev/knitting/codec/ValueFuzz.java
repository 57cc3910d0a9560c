package dev.knitting.codec;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import dev.knitting.fuzz.Allocation;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Fuzz target: decoding of values, tuples and failures from any bytes, with types of every kind in the table. Ends with a
 * value or a {@link KnittingException}; allocates no more than a constant and a small multiple of the input.
 */
public final class ValueFuzz {
    /** An enum. */
    public enum Colour {
        /** One. */
        RED,
        /** Another. */
        GREEN
    }

    /** A type with a codec of its own. */
    public record Money(long cents) {}

    /** Its codec. */
    public static final class MoneyCodec implements PayloadCodec<Money> {
        @Override
        public Class<Money> type() {
            return Money.class;
        }

        @Override
        public void write(Money value, DataOutput out) throws IOException {
            out.writeLong(value.cents());
        }

        @Override
        public Money read(DataInput in) throws IOException {
            return new Money(in.readLong());
        }
    }

    /** A record with components of every kind. */
    public record Everything(
            int i,
            long l,
            double d,
            float f,
            short s,
            byte b,
            char c,
            boolean z,
            String text,
            Colour colour,
            List<Object> list,
            Map<String, Everything> map,
            Everything[] more,
            Optional<Money> money,
            Throwable thrown) {}

    /** An exception that may be rebuilt. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** As the worker threw it. */
        public Refused(String message) {
            super(message);
        }
    }

    private static final long CAP = 1 << 20;
    /** Levels times what each may start with, and a little. */
    private static final long MOST_BYTES = 16L << 20;

    private static final long MOST_PER_BYTE = 400;

    private static final ValueCodec CODEC = new ValueCodec(
            TypeTable.of(List.of(Everything.class), List.of(Refused.class), List.of(new MoneyCodec())), CAP);

    private static final int PREFIX = 2 + 4 * Long.BYTES;

    private ValueFuzz() {}

    /** Tag, a byte of choices, four words; the rest is the body. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length >= PREFIX) {
            Allocation.bounded(MOST_BYTES + MOST_PER_BYTE * data.length, () -> read(data));
        }
    }

    private static void read(byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data).order(java.nio.ByteOrder.nativeOrder());
        byte tag = in.get();
        int choices = in.get();
        Payload payload = new Payload();
        byte[] body = Arrays.copyOfRange(data, PREFIX, data.length);
        payload.setBody(tag, MemorySegment.ofArray(body), body.length);
        payload.word0 = in.getLong();
        payload.word1 = in.getLong();
        payload.word2 = in.getLong();
        payload.word3 = in.getLong();
        if ((choices & 4) != 0) {
            payload.body = null;
            payload.bodyLength = 0;
            payload.headerLength = body.length == 0 ? 0 : body[0];
        }
        if ((choices & 8) != 0 && body.length >= 16) { // what the lane's checks keep away
            payload.bodyOffset = ByteBuffer.wrap(body).getLong(0);
            payload.bodyLength = ByteBuffer.wrap(body).getLong(8);
        }
        try {
            switch (choices & 3) {
                case 0, 1 -> CODEC.decode(payload);
                case 2 -> CODEC.decodeAll(payload);
                default -> CODEC.decodeFailure(payload);
            }
        } catch (KnittingException e) {
            if (e.code() != ErrorCode.CORRUPT_PEER && e.code() != ErrorCode.UNSUPPORTED_PAYLOAD) {
                throw e;
            }
        }
    }

    /** Good inputs. */
    public static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (Object value : values()) {
            Payload sent = new Payload();
            CODEC.encode(value, sent);
            seeds.add(input(sent, 0));
        }
        Payload tuple = new Payload();
        CODEC.encodeAll(values().toArray(), tuple);
        seeds.add(input(tuple, 2));
        Payload failure = new Payload();
        Refused thrown = new Refused("no");
        thrown.addSuppressed(new IllegalStateException("inner", new IOException("cause")));
        CODEC.encodeFailure(thrown, failure);
        seeds.add(input(failure, 3));
        CODEC.encodeFailure(KnittingException.of(ErrorCode.ARENA_FULL, "full", "a", 1), failure);
        seeds.add(input(failure, 3));
        return seeds;
    }

    private static List<Object> values() {
        Everything inner = new Everything(
                1,
                2,
                3,
                4,
                (short) 5,
                (byte) 6,
                '7',
                true,
                "\u20ac",
                Colour.RED,
                List.of(),
                Map.of(),
                null,
                Optional.empty(),
                null);
        Everything outer = new Everything(
                1,
                2,
                3,
                4,
                (short) 5,
                (byte) 6,
                '7',
                false,
                "text",
                Colour.GREEN,
                List.of(1, "x", new int[] {7}),
                Map.of("k", inner),
                new Everything[] {inner, null},
                Optional.of(new Money(3)),
                new Refused("value"));
        return List.of(
                outer,
                "a text of more than thirty-two characters",
                "\u20ac".repeat(40),
                new int[] {1, 2},
                new long[] {3},
                new boolean[] {true},
                new byte[40],
                ByteBuffer.allocate(3),
                List.of(List.of(List.of(1L, 2.0, true)), Set.of("a")),
                new TreeMap<>(Map.of("k", new TreeSet<>(List.of(1, 2)))),
                new Object[] {new String[] {"s"}, 'c', (byte) 1, (short) 2, 1.5f},
                List.of(
                        UUID.randomUUID(),
                        Instant.EPOCH,
                        Duration.ZERO,
                        LocalDateTime.MIN,
                        ZoneId.of("UTC"),
                        ZonedDateTime.of(LocalDateTime.MIN.plusYears(9), ZoneId.of("UTC")),
                        URI.create("a:b"),
                        Path.of("a", "b"),
                        BigInteger.TEN,
                        new BigDecimal("1.5"),
                        Optional.of(1)));
    }

    private static byte[] input(Payload sent, int choices) {
        MemorySegment body = sent.body;
        int length = body == null ? 1 : (int) sent.bodyLength;
        byte[] bytes = new byte[PREFIX + length];
        ByteBuffer out = ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.nativeOrder());
        out.put(sent.tag).put((byte) (body == null ? choices | 4 : choices));
        out.putLong(sent.word0).putLong(sent.word1).putLong(sent.word2).putLong(sent.word3);
        if (body == null) {
            out.put((byte) sent.headerLength);
        } else {
            MemorySegment.copy(body, ValueLayout.JAVA_BYTE, sent.bodyOffset, bytes, PREFIX, length);
        }
        return bytes;
    }
}

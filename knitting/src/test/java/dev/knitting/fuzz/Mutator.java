package dev.knitting.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Makes new inputs from good ones. By seed; knows nothing of coverage. */
final class Mutator {
    private static final int MOST_BYTES = 4096;
    private static final long[] EDGES = {
        0,
        1,
        2,
        63,
        64,
        127,
        128,
        255,
        256,
        512,
        513,
        4095,
        4096,
        65_535,
        65_536,
        -1,
        -2,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final SplittableRandom random;
    private final List<byte[]> seeds;

    Mutator(long seed, List<byte[]> seeds) {
        this.random = new SplittableRandom(seed);
        this.seeds = seeds;
    }

    byte[] next() {
        byte[] bytes = seeds.get(random.nextInt(seeds.size()));
        if (random.nextInt(16) == 0) {
            bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
        }
        for (int i = random.nextInt(1, 9); i > 0; i--) {
            bytes = mutated(bytes);
        }
        return bytes;
    }

    private byte[] mutated(byte[] from) {
        byte[] bytes = from.clone();
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        if (bytes.length == 0) {
            return inserted(bytes, 0);
        }
        switch (random.nextInt(8)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[at] = (byte) random.nextInt(60); // tags
            case 3 -> overwrite(bytes, at, EDGES[random.nextInt(EDGES.length)], random.nextBoolean() ? 4 : 8);
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 5 -> {
                return inserted(bytes, at);
            }
            case 6 -> {
                byte[] without = new byte[bytes.length - 1];
                System.arraycopy(bytes, 0, without, 0, at);
                System.arraycopy(bytes, at + 1, without, at, bytes.length - at - 1);
                return without;
            }
            default -> {
                byte[] other = seeds.get(random.nextInt(seeds.size()));
                int length = Math.min(other.length, bytes.length - at);
                System.arraycopy(other, 0, bytes, at, random.nextInt(length + 1));
            }
        }
        return bytes;
    }

    private static void overwrite(byte[] bytes, int at, long value, int length) {
        for (int i = 0; i < length && at + i < bytes.length; i++) {
            bytes[at + i] = (byte) (value >>> 8 * i);
        }
    }

    private byte[] inserted(byte[] bytes, int at) {
        int length = Math.min(1 << random.nextInt(7), MOST_BYTES - Math.min(MOST_BYTES, bytes.length));
        byte[] longer = new byte[bytes.length + length];
        System.arraycopy(bytes, 0, longer, 0, at);
        byte[] piece = new byte[length];
        if (random.nextBoolean()) {
            random.nextBytes(piece);
        } else {
            Arrays.fill(piece, (byte) random.nextInt(60));
        }
        System.arraycopy(piece, 0, longer, at, length);
        System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
        return longer;
    }
}

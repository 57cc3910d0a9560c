package dev.knitting.bench;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Order;
import dev.knitting.bench.peer.Peer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one case, and what must come back. Only {@link #run} is timed.
 *
 * <p>Every iteration sends other values than the one before, so that an answer to an old call is seen as wrong.
 */
abstract sealed class Workload {
    /** The most that one batch may send: more would measure the memory of the machine. */
    static final long MAX_BATCH_BYTES = 16L << 20;

    private final Op op;
    private final int batch;

    private Workload(Op op, int batch) {
        this.op = op;
        this.batch = batch;
    }

    /**
     * The workload of an operation.
     *
     * @param batch calls in a batch, 1 for {@link Op#INC_SYNC}
     */
    static Workload of(Op op, int batch) {
        return switch (op) {
            case INC_SYNC -> new IncSync();
            case INC -> new Inc(batch);
            case BYTES8, BYTES1K, BYTES64K, BYTES1M -> new Bytes(op, batch);
            case STRING1M -> new Strings(op, batch);
            case ORDER -> new Orders(batch);
        };
    }

    final Op op() {
        return op;
    }

    final int batch() {
        return batch;
    }

    /**
     * Chooses the arguments.
     *
     * @param sequence positive, another one each time
     */
    abstract void prepare(long sequence);

    /** Makes the calls and waits for all of them. */
    abstract void run(Peer peer) throws Exception;

    /**
     * Looks at the results of the last run.
     *
     * @throws WrongResultException if one is not what the task returns
     */
    abstract void verify(String peer);

    final void check(String peer, int index, long expected, long actual) {
        if (expected != actual) {
            throw new WrongResultException(peer, this, index, expected, actual);
        }
    }

    final <T> T present(String peer, int index, @Nullable T actual) {
        if (actual == null) {
            throw new WrongResultException(peer, this, index, "a value", null);
        }
        return actual;
    }

    private static final class IncSync extends Workload {
        private long value;
        private long result;

        IncSync() {
            super(Op.INC_SYNC, 1);
        }

        @Override
        void prepare(long sequence) {
            value = sequence;
        }

        @Override
        void run(Peer peer) throws Exception {
            result = peer.inc(value);
        }

        @Override
        void verify(String peer) {
            check(peer, 0, value + 1, result);
        }
    }

    private static final class Inc extends Workload {
        private final long[] values;
        private final long[] results;

        Inc(int batch) {
            super(Op.INC, batch);
            values = new long[batch];
            results = new long[batch];
        }

        @Override
        void prepare(long sequence) {
            for (int i = 0; i < values.length; i++) {
                values[i] = sequence + i;
            }
        }

        @Override
        void run(Peer peer) throws Exception {
            peer.incAll(values, results);
        }

        @Override
        void verify(String peer) {
            for (int i = 0; i < values.length; i++) {
                check(peer, i, values[i] + 1, results[i]);
            }
        }
    }

    /** First and last byte are changed by the task; one more byte in between is another one each time. */
    private static final class Bytes extends Workload {
        private final byte[][] values;
        private final byte[][] results;
        private long sequence;

        Bytes(Op op, int batch) {
            super(op, batch);
            values = new byte[batch][op.payloadBytes()];
            results = new byte[batch][];
        }

        @Override
        void prepare(long sequence) {
            this.sequence = sequence;
            for (int i = 0; i < values.length; i++) {
                byte[] value = values[i];
                value[0] = stamp(i);
                value[between(value.length)] = stamp(i);
                value[value.length - 1] = stamp(i);
            }
            Arrays.fill(results, null);
        }

        @Override
        void run(Peer peer) throws Exception {
            peer.bytesAll(values, results);
        }

        @Override
        void verify(String peer) {
            for (int i = 0; i < values.length; i++) {
                byte[] result = present(peer, i, results[i]);
                check(peer, i, values[i].length, result.length);
                check(peer, i, (byte) (stamp(i) + 1), result[0]);
                check(peer, i, stamp(i), result[between(result.length)]);
                check(peer, i, (byte) (stamp(i) + 1), result[result.length - 1]);
            }
        }

        private byte stamp(int index) {
            return (byte) (sequence + index);
        }

        private int between(int length) {
            return 1 + (int) (sequence * 7919 % (length - 2));
        }
    }

    /** Strings that differ at every position, so that any position tells one from another. */
    private static final class Strings extends Workload {
        private static final int ALPHABET = 90; // printable

        private final String[] variants;
        private final String[] values;
        private final String[] results;
        private long sequence;

        Strings(Op op, int batch) {
            super(op, batch);
            variants = new String[batch + 2];
            for (int i = 0; i < variants.length; i++) {
                variants[i] = variant(i, op.payloadBytes());
            }
            values = new String[batch];
            results = new String[batch];
        }

        private static String variant(int number, int length) {
            StringBuilder text = new StringBuilder(length);
            for (int i = 0; i < length; i++) {
                text.append((char) ('!' + (i * 7 + number) % ALPHABET));
            }
            return text.toString();
        }

        @Override
        void prepare(long sequence) {
            this.sequence = sequence;
            for (int i = 0; i < values.length; i++) {
                values[i] = variants[(int) ((sequence + i) % variants.length)];
            }
            Arrays.fill(results, null);
        }

        @Override
        void run(Peer peer) throws Exception {
            peer.stringsAll(values, results);
        }

        @Override
        void verify(String peer) {
            for (int i = 0; i < values.length; i++) {
                String value = values[i];
                String result = present(peer, i, results[i]);
                int last = value.length() - 1;
                int between = (int) (sequence * 7919 % last);
                check(peer, i, value.length(), result.length());
                check(peer, i, value.charAt(0), result.charAt(0));
                check(peer, i, value.charAt(between), result.charAt(between));
                check(peer, i, value.charAt(last), result.charAt(last));
            }
        }
    }

    private static final class Orders extends Workload {
        private final Order[] values;
        private final Order[] results;
        private long sequence;

        Orders(int batch) {
            super(Op.ORDER, batch);
            values = new Order[batch];
            Arrays.setAll(values, Order::sample);
            results = new Order[batch];
        }

        @Override
        void prepare(long sequence) {
            this.sequence = sequence;
            for (int i = 0; i < values.length; i++) {
                Order order = values[i];
                values[i] = new Order(
                        sequence + i,
                        order.customer(),
                        order.amount(),
                        order.status(),
                        order.items(),
                        order.attributes());
            }
            Arrays.fill(results, null);
        }

        @Override
        void run(Peer peer) throws Exception {
            peer.ordersAll(values, results);
        }

        /** Numbers of all orders; the rest of one order an iteration, for it costs more than the call. */
        @Override
        void verify(String peer) {
            int thorough = (int) (sequence % values.length);
            for (int i = 0; i < values.length; i++) {
                Order value = values[i];
                Order result = present(peer, i, results[i]);
                check(peer, i, value.id() + 1, result.id());
                check(peer, i, value.status() + 1, result.status());
                if (i == thorough && !sameRest(value, result)) {
                    throw new WrongResultException(peer, this, i, value, result);
                }
            }
        }

        private static boolean sameRest(Order value, Order result) {
            return value.customer().equals(result.customer())
                    && Double.compare(value.amount(), result.amount()) == 0
                    && value.items().equals(result.items())
                    && value.attributes().equals(result.attributes());
        }
    }
}

package dev.knitting.bench;

import dev.knitting.bench.peer.BenchTasks;
import dev.knitting.bench.peer.Kind;
import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Order;
import dev.knitting.bench.peer.Peer;
import java.util.Map;

/** Runs the tasks on the caller's thread. Subclasses break one operation. */
class FakePeer implements Peer {
    int pauses;
    boolean isClosed;

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public Kind kind() {
        return Kind.THREAD;
    }

    @Override
    public long inc(long value) {
        return BenchTasks.inc(value);
    }

    @Override
    public void incAll(long[] values, long[] results) {
        for (int i = 0; i < values.length; i++) {
            results[i] = BenchTasks.inc(values[i]);
        }
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) {
        for (int i = 0; i < values.length; i++) {
            results[i] = BenchTasks.echoBytes(values[i]);
        }
    }

    @Override
    public void stringsAll(String[] values, String[] results) {
        for (int i = 0; i < values.length; i++) {
            results[i] = BenchTasks.echoString(values[i]);
        }
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) {
        for (int i = 0; i < values.length; i++) {
            results[i] = BenchTasks.echoOrder(values[i]);
        }
    }

    @Override
    public void pause() {
        pauses++;
    }

    @Override
    public void close() {
        isClosed = true;
    }

    /** Answers one call of each batch wrongly, in a way that is easy to miss. */
    static class Broken extends FakePeer {
        private long calls;
        private final Op op;

        Broken(Op op) {
            this.op = op;
        }

        @Override
        public boolean supports(Op other) {
            return other == op;
        }

        @Override
        public long inc(long value) {
            return ++calls < 5 ? super.inc(value) : value;
        }

        @Override
        public void incAll(long[] values, long[] results) {
            super.incAll(values, results);
            results[values.length - 1]--;
        }

        /** A task that did not run. */
        @Override
        public void bytesAll(byte[][] values, byte[][] results) {
            super.bytesAll(values, results);
            results[values.length - 1][values[0].length - 1]--;
        }

        /** The answer to another call. */
        @Override
        public void stringsAll(String[] values, String[] results) {
            super.stringsAll(values, results);
            results[values.length - 1] = results[0];
        }

        /** A map that lost an entry, seen when this order's turn comes. */
        @Override
        public void ordersAll(Order[] values, Order[] results) {
            super.ordersAll(values, results);
            Order right = results[values.length - 1];
            results[values.length - 1] =
                    new Order(right.id(), right.customer(), right.amount(), right.status(), right.items(), Map.of());
        }
    }

    /** Answers a byte in the middle wrongly: no fixed position would see it. */
    static final class Patchy extends FakePeer {
        @Override
        public void bytesAll(byte[][] values, byte[][] results) {
            super.bytesAll(values, results);
            for (int i = 0; i < values.length; i++) {
                results[i] = results[i].clone();
                java.util.Arrays.fill(results[i], 300, 900, (byte) 77);
            }
        }
    }

    /** Answers each batch with the results of the one before. */
    static final class Stale extends FakePeer {
        private long[] before = new long[0];

        @Override
        public void incAll(long[] values, long[] results) {
            long[] old = before;
            before = new long[values.length];
            super.incAll(values, before);
            System.arraycopy(old.length == 0 ? before : old, 0, results, 0, results.length);
        }
    }
}

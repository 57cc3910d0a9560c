package dev.knitting.bench.peer;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.Task;

/** This library, one worker: submit all, join all; {@code inc} is {@code invoke}. */
final class KnittingPeer implements Peer {
    private static final Task<Long, Long> INC = Task.of(BenchTasks::inc);
    private static final Task<byte[], byte[]> BYTES = Task.of(BenchTasks::echoBytes);
    private static final Task<String, String> STRING = Task.of(BenchTasks::echoString);
    private static final Task<Order, Order> ORDER = Task.of(BenchTasks::echoOrder);

    private final String name;
    private final Kind kind;
    private final Pool pool;

    private KnittingPeer(String name, Kind kind, Isolation isolation) {
        this.name = name;
        this.kind = kind;
        this.pool = Pool.of(isolation).workers(1).name(name).open(INC, BYTES, STRING, ORDER);
    }

    static Peer threads() {
        return new KnittingPeer("knitting-thread", Kind.THREAD, Isolation.THREADS);
    }

    static Peer processes() {
        return new KnittingPeer("knitting-process", Kind.PROCESS, Isolation.PROCESSES);
    }

    @Override
    public long inc(long value) {
        return pool.invoke(INC, value);
    }

    @Override
    public void incAll(long[] values, long[] results) {
        Call<Long>[] calls = calls(values.length);
        for (int i = 0; i < values.length; i++) {
            calls[i] = pool.submit(INC, values[i]);
        }
        for (int i = 0; i < calls.length; i++) {
            results[i] = calls[i].join();
        }
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) {
        all(BYTES, values, results);
    }

    @Override
    public void stringsAll(String[] values, String[] results) {
        all(STRING, values, results);
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) {
        all(ORDER, values, results);
    }

    private <T> void all(Task<T, T> task, T[] values, T[] results) {
        Call<T>[] calls = calls(values.length);
        for (int i = 0; i < values.length; i++) {
            calls[i] = pool.submit(task, values[i]);
        }
        for (int i = 0; i < calls.length; i++) {
            results[i] = calls[i].join();
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no generic arrays; this one never leaves the class.
    private static <T> Call<T>[] calls(int count) {
        return new Call[count];
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public void close() {
        pool.close();
    }
}

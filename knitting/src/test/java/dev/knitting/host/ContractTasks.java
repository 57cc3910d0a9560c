package dev.knitting.host;

import dev.knitting.Task;
import dev.knitting.TaskContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Tasks that the contract suite runs in every kind of worker. */
final class ContractTasks {
    record Line(String item, int count) {}

    record Order(long id, String customer, double total, List<Line> lines, Map<String, Double> taxes) {}

    /** A type that the host has and no codec knows. */
    static final class Opaque {}

    /** An exception that no signature declares. */
    static final class Undeclared extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Undeclared(String message) {
            super(message);
        }
    }

    static final Task<Long, Long> INC = Task.of(ContractTasks::inc);
    static final Task<String, String> ECHO_TEXT = Task.of(ContractTasks::echoText);
    static final Task<byte[], byte[]> ECHO_BYTES = Task.of(ContractTasks::echoBytes);
    static final Task<Order, Order> RAISE = Task.of(ContractTasks::raise);
    static final Task<String, String> FAIL = Task.of(ContractTasks::fail);
    static final Task<String, String> FAIL_CHECKED = Task.of(ContractTasks::failChecked);
    static final Task<String, String> FAIL_ERROR = Task.of(ContractTasks::failError);
    static final Task<Integer, byte[]> MAKE_BYTES = Task.of(ContractTasks::makeBytes);
    static final Task<Void, Object> MAKE_OPAQUE = Task.of(ContractTasks::makeOpaque);
    static final Task<Long, Long> SPIN_MILLIS = Task.of(ContractTasks::spinMillis);
    static final Task<Void, Integer> WORKER_ID = Task.of(ContractTasks::workerId);
    static final Task<String, String> TRIM = Task.of(String::trim);
    static final Task<Void, Boolean> INTERRUPTED_FLAG = Task.of(ContractTasks::interruptedFlag);
    static final Task<Void, Boolean> SET_INTERRUPTED = Task.of(ContractTasks::setInterrupted);

    private ContractTasks() {}

    static long inc(long value) {
        return value + 1;
    }

    private static String echoText(String text) {
        return text;
    }

    static byte[] echoBytes(byte[] bytes) {
        return bytes;
    }

    static Order raise(Order order) {
        return new Order(order.id() + 1, order.customer(), order.total() * 2, order.lines(), order.taxes());
    }

    static String fail(String message) {
        throw new Undeclared(message);
    }

    static String failChecked(String message) throws java.io.IOException {
        throw new java.io.IOException(message, new IllegalStateException("inner"));
    }

    static String failError(String kind) {
        switch (kind) {
            case "memory" -> throw new OutOfMemoryError("not really");
            case "stack" -> {
                return failError("stack") + failError("stack");
            }
            case "linkage" -> throw new NoClassDefFoundError("gone");
            default -> throw new AssertionError(kind);
        }
    }

    static byte[] makeBytes(int length) {
        byte[] bytes = new byte[length];
        if (length > 0) {
            bytes[0] = 1;
            bytes[length - 1] = 2;
        }
        return bytes;
    }

    static Object makeOpaque() {
        return new Opaque();
    }

    /** Works, without sleeping, for so long. */
    static long spinMillis(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(100_000);
        }
        return millis;
    }

    static int workerId() {
        return TaskContext.inWorker() ? TaskContext.current().workerId() : -2;
    }

    static boolean interruptedFlag() {
        return Thread.currentThread().isInterrupted();
    }

    static boolean setInterrupted() {
        Thread.currentThread().interrupt();
        return true;
    }
}

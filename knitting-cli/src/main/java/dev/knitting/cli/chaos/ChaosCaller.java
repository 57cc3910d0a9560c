package dev.knitting.cli.chaos;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.TaskFailedException;
import dev.knitting.fault.InjectedFault;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls until it is told to stop, one call at a time, and checks what comes back. One thread. */
final class ChaosCaller implements Runnable {
    /** A call that takes longer than this never settles: on a busy machine several workers must start and die before. */
    private static final int PATIENCE_SECONDS = 120;

    private static final int KINDS = 6;

    private final Pool pool;
    private final ChaosCounts counts;
    private final Random random;

    ChaosCaller(Pool pool, ChaosCounts counts, long seed) {
        this.pool = pool;
        this.counts = counts;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        while (!counts.isOver()) {
            callOnce();
        }
    }

    private void callOnce() {
        int kind = random.nextInt(KINDS);
        int value = random.nextInt(1_000_000);
        Object expected = expected(kind, value);
        try {
            Object result = start(kind, value).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            counts.answered(isSame(expected, result), () -> "kind=" + kind + " value=" + value + " result=" + result);
        } catch (ExecutionException e) {
            judge(e.getCause() == null ? e : e.getCause(), kind, value);
        } catch (TimeoutException e) {
            counts.neverSettled();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Future<?> start(int kind, int value) {
        return switch (kind) {
            case 0 -> pool.submit(ChaosTasks.INC, (long) value);
            case 1 -> pool.submit(ChaosTasks.ECHO, "a text that does not fit the words of a slot: " + value);
            case 2 -> pool.submit(ChaosTasks.REVERSE, bytes(value));
            case 3 -> pool.submit(() -> ChaosTasks.add(value, 7L));
            case 4 -> pool.submit(ChaosTasks.FAIL, "value " + value);
            default -> pool.submit(ChaosTasks.WORK, 1_000 + value % 9_000);
        };
    }

    private static Object expected(int kind, int value) {
        return switch (kind) {
            case 0 -> value + 1L;
            case 1 -> "a text that does not fit the words of a slot: " + value;
            case 2 -> ChaosTasks.reverse(bytes(value));
            case 3 -> value + 7L;
            case 4 -> "an exception";
            default -> ChaosTasks.work(1_000 + value % 9_000);
        };
    }

    private static byte[] bytes(int value) {
        byte[] bytes = new byte[600 + value % 8_000];
        Arrays.fill(bytes, (byte) value);
        bytes[0] = (byte) (value >> 8);
        return bytes;
    }

    private static boolean isSame(Object expected, Object result) {
        return expected instanceof byte[] bytes
                ? result instanceof byte[] others && Arrays.equals(bytes, others)
                : expected.equals(result);
    }

    private void judge(Throwable failure, int kind, int value) {
        if (isInjected(failure) || (failure instanceof KnittingException lost && isOfADeath(lost.code()))) {
            counts.lost();
        } else {
            boolean right = kind == 4
                    && failure instanceof TaskFailedException
                    && String.valueOf(failure.getMessage()).contains("value " + value);
            counts.answered(right, () -> "kind=" + kind + " value=" + value + " failure=" + failure);
        }
    }

    /** Thrown on purpose: in this process, or in a worker while it ran the call. */
    private static boolean isInjected(Throwable failure) {
        return failure instanceof InjectedFault
                || (failure instanceof TaskFailedException failed
                        && failed.remoteType().equals(InjectedFault.class.getName()));
    }

    private static boolean isOfADeath(ErrorCode code) {
        return code == ErrorCode.WORKER_CRASHED || code == ErrorCode.WORKER_EXITED;
    }
}

package dev.knitting.memory;

import java.lang.foreign.MemorySegment;

/**
 * Sleeping on a 32-bit word of shared memory, and waking who sleeps there, across processes (Linux futex, not
 * process-private).
 *
 * <p>Needs {@link NativeAccess#enabled()}. Addresses are those of aligned words in a live mapping ({@link
 * MemorySegment#address()} plus offset); the caller keeps the mapping open. Any platform thread may wait; a virtual
 * thread must not, since it would hold its carrier. {@code Thread.interrupt} does not end a wait: whoever must answer
 * interrupts waits in slices.
 */
public final class Futex {
    /** How a wait ended. After each of them the caller looks at the word again: wake-ups may be spurious. */
    public enum Result {
        /** Somebody called wake. */
        WOKEN,
        /** The word did not hold the expected value; nothing was waited for. */
        VALUE_CHANGED,
        /** The time is over. */
        TIMED_OUT,
        /** A signal handler of the JVM ran on this thread. */
        INTERRUPTED_BY_SIGNAL,
        /** The kernel cannot wait on several words (before Linux 5.16, or refused by a sandbox). */
        UNSUPPORTED
    }

    /** Most words that {@link #waitOnAny} can watch at once. */
    public static final int MAX_WORDS = LinuxCalls.MAX_WAIT_WORDS;

    private static final int EPERM = 1;

    private Futex() {}

    /** Links the native function now (tens of milliseconds, once), so that no later call pays for it. */
    public static void link() {
        LinuxCalls.link();
    }

    /**
     * Sleeps until somebody wakes the word, if it holds {@code expected}. The kernel compares and goes to sleep in one
     * step: a wake after the word changed is never lost.
     *
     * @param address address of an aligned 32-bit word
     * @param expected value at which to sleep
     * @param timeoutNanos longest sleep in nanoseconds; zero or less does not sleep
     * @return never {@link Result#UNSUPPORTED}
     * @throws IllegalStateException if the kernel refuses, for example because nothing is mapped there
     */
    public static Result waitOn(long address, int expected, long timeoutNanos) {
        return result(LinuxCalls.futexWait(address, expected, timeoutNanos), "futex wait failed");
    }

    /**
     * As {@link #waitOn(long, int, long)}, for the word at {@code offset} of {@code memory}.
     *
     * @throws IndexOutOfBoundsException if the word lies outside
     */
    public static Result waitOn(MemorySegment memory, long offset, int expected, long timeoutNanos) {
        return waitOn(address(memory, offset), expected, timeoutNanos);
    }

    /**
     * Sleeps until somebody wakes one of the words, if each holds its expected value.
     *
     * @param addresses addresses of aligned 32-bit words
     * @param expected value of each word at which to sleep
     * @param count how many words, 1 to {@link #MAX_WORDS}
     * @param timeoutNanos longest sleep in nanoseconds; zero or less does not sleep
     * @throws IllegalArgumentException if {@code count} is out of range
     * @throws IllegalStateException if the kernel refuses for another reason than not having the call
     */
    public static Result waitOnAny(long[] addresses, int[] expected, int count, long timeoutNanos) {
        if (count < 1 || count > MAX_WORDS || count > addresses.length || count > expected.length) {
            throw new IllegalArgumentException("word count out of range: count=" + count + ", limit=" + MAX_WORDS);
        }
        int result = LinuxCalls.futexWaitAny(addresses, expected, count, timeoutNanos);
        if (result == -LinuxCalls.ENOSYS || result == -EPERM) {
            return Result.UNSUPPORTED;
        }
        return result(result, "futex wait on several words failed");
    }

    /**
     * Wakes up to {@code count} threads, of any process, that sleep on the word.
     *
     * @param address address of an aligned 32-bit word
     * @param count most threads to wake
     * @return how many were woken
     * @throws IllegalStateException if the kernel refuses, for example because nothing is mapped there
     */
    public static int wake(long address, int count) {
        int woken = LinuxCalls.futexWake(address, count);
        if (woken < 0) {
            throw new IllegalStateException("futex wake failed: address=0x" + Long.toHexString(address));
        }
        return woken;
    }

    /**
     * As {@link #wake(long, int)}, for the word at {@code offset} of {@code memory}.
     *
     * @throws IndexOutOfBoundsException if the word lies outside
     */
    public static int wake(MemorySegment memory, long offset, int count) {
        return wake(address(memory, offset), count);
    }

    private static long address(MemorySegment memory, long offset) {
        if (offset < 0 || offset > memory.byteSize() - Integer.BYTES) {
            throw new IndexOutOfBoundsException("no word there: offset=" + offset + ", length=" + memory.byteSize());
        }
        return memory.address() + offset;
    }

    private static Result result(int kernelResult, String what) {
        return switch (kernelResult) {
            case -LinuxCalls.EAGAIN -> Result.VALUE_CHANGED;
            case -LinuxCalls.ETIMEDOUT -> Result.TIMED_OUT;
            case -LinuxCalls.EINTR -> Result.INTERRUPTED_BY_SIGNAL;
            default -> {
                if (kernelResult < 0) {
                    throw new IllegalStateException(what + ": errno=" + -kernelResult);
                }
                yield Result.WOKEN;
            }
        };
    }
}

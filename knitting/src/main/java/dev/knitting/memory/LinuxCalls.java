package dev.knitting.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The Linux system calls of this project, and the only place that links native code.
 *
 * <p>All go through one function of the C library, {@code long syscall(long number, ...)}, linked once with one shape:
 * linking is what costs (tens of milliseconds for the first function, less for each further shape), so one link that
 * serves all is cheaper than one each. It happens when {@link Linked} is initialised, not when this class is; a worker
 * does that in a background thread ({@link #link}). Pointers travel as {@code long} addresses of native memory, which
 * the caller keeps alive during the call.
 *
 * <p>Results follow the kernel: a value of at least zero, or the negated error number.
 *
 * <p>Any thread may call. A call blocks its carrier thread: virtual threads must not wait here.
 */
final class LinuxCalls {
    static final int EPERM = 1;
    static final int EINTR = 4;
    static final int ECHILD = 10;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EINVAL = 22;
    static final int ENOSYS = 38;
    /** {@code O_NOFOLLOW}; the processors differ. */
    static final int NO_FOLLOW = "aarch64".equals(System.getProperty("os.arch")) ? 0x8000 : 0x20000;

    static final int ENOTTY = 25;
    static final int ETIMEDOUT = 110;

    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int MFD_NOEXEC_SEAL = 8;

    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_GETPIPE_SZ = 1032;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    static final int SEAL_SEAL = 1;
    static final int SEAL_SHRINK = 2;
    static final int SEAL_GROW = 4;

    private static final int FALLOC_KEEP_SIZE = 1;
    private static final int FALLOC_PUNCH_HOLE = 2;

    private static final int AT_FDCWD = -100;
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final int FUTEX2_SIZE_U32 = 2;
    private static final int CLOCK_MONOTONIC = 1;
    private static final int PR_SET_PDEATHSIG = 1;
    /** POLLERR, POLLHUP and POLLNVAL, which are reported without being asked for. */
    private static final int POLL_GONE = 0x8 | 0x10 | 0x20;

    private static final int POLL_IN = 0x1;

    /** Most words that one {@link #futexWaitAny} may watch (the kernel's FUTEX_WAITV_MAX). */
    static final int MAX_WAIT_WORDS = 128;

    /** {@code struct futex_waitv}: value, address, flags, reserved. */
    private static final long WAITV_STRIDE_BYTES = 24;

    /** Where a call's scratch area keeps what: error number, {@code struct timespec}, then arrays. */
    private static final long ERRNO_OFFSET = 0;

    private static final long TIMESPEC_OFFSET = 8;
    private static final long ARRAY_OFFSET = 24;
    /** Scratch area of {@link #awaitPeerGone}: the above and two of {@code struct pollfd}. */
    static final long POLL_SCRATCH_BYTES = ARRAY_OFFSET + 16;

    static final int PEER_GONE = 1;
    static final int PROCESS_ENDED = 2;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private LinuxCalls() {}

    /** System call numbers of this machine. Literals, so that asking for one loads and links nothing. */
    static final class Numbers {
        private static final boolean X86_64;
        private static final boolean AARCH64;

        static {
            String arch = System.getProperty("os.arch");
            X86_64 = "amd64".equals(arch) || "x86_64".equals(arch);
            AARCH64 = "aarch64".equals(arch);
        }

        static final long CLOCK_GETTIME = X86_64 ? 228 : 113;
        static final long CLOSE = X86_64 ? 3 : 57;
        static final long DUP3 = X86_64 ? 292 : 24;
        static final long FALLOCATE = X86_64 ? 285 : 47;
        static final long FCNTL = X86_64 ? 72 : 25;
        static final long FTRUNCATE = X86_64 ? 77 : 46;
        static final long FUTEX = X86_64 ? 202 : 98;
        static final long FUTEX_WAITV = 449;
        static final long GETCPU = X86_64 ? 309 : 168;
        static final long KILL = X86_64 ? 62 : 129;
        static final long GETPPID = X86_64 ? 110 : 173;
        static final long MEMBARRIER = X86_64 ? 324 : 283;
        static final long MEMFD_CREATE = X86_64 ? 319 : 279;
        static final long OPENAT = X86_64 ? 257 : 56;
        static final long PIDFD_OPEN = 434;
        static final long PPOLL = X86_64 ? 271 : 73;
        static final long PRCTL = X86_64 ? 157 : 167;

        private Numbers() {}

        /** Whether the numbers of this processor architecture are known. */
        static boolean isKnown() {
            return X86_64 || AARCH64;
        }
    }

    /** The linked function. Initialising this class links it. */
    private static final class Linked {
        static final MethodHandle SYSCALL = link();

        /** Receives error numbers that nobody reads, so that such a call allocates nothing. */
        static final MemorySegment IGNORED_ERRNO = Arena.global().allocate(8, 8);

        private Linked() {}

        @SuppressWarnings("restricted") // guarded: callers ask NativeAccess.enabled() first
        private static MethodHandle link() {
            Linker linker = Linker.nativeLinker();
            FunctionDescriptor shape = FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG);
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow("syscall"),
                    shape,
                    Linker.Option.firstVariadicArg(1),
                    Linker.Option.captureCallState("errno"));
        }
    }

    /**
     * Links now if it was not done yet, and makes one harmless call so that the first real one is quick. A background
     * thread of a starting worker calls this.
     */
    static void link() {
        call(Linked.IGNORED_ERRNO, Numbers.GETPPID, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Creates an anonymous memory file that can be sealed, closed on exec.
     *
     * @return the file descriptor, or the negated error number
     */
    static int memfdCreate(String name) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment errno = scratch.allocate(8, 8);
            long address = scratch.allocateFrom(name).address();
            // Not executable where the kernel knows the flag (6.3): a system may require it, and nobody runs this.
            int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
            long fd = call(errno, Numbers.MEMFD_CREATE, address, flags | MFD_NOEXEC_SEAL, 0, 0, 0, 0);
            if (fd == -EINVAL) {
                fd = call(errno, Numbers.MEMFD_CREATE, address, flags, 0, 0, 0, 0);
            }
            return (int) fd;
        }
    }

    /** Adds seals to a memory file; 0, or the negated error number. */
    static int addSeals(int fd, int seals) {
        return (int) call(Numbers.FCNTL, fd, F_ADD_SEALS, seals, 0, 0, 0);
    }

    /** The seals of a memory file, or the negated error number. */
    static int seals(int fd) {
        return (int) call(Numbers.FCNTL, fd, F_GET_SEALS, 0, 0, 0, 0);
    }

    /** Changes the length of an open file; 0, or the negated error number. */
    static int truncate(int fd, long length) {
        return (int) call(Numbers.FTRUNCATE, fd, length, 0, 0, 0, 0);
    }

    /** Allocates zeroed pages for a range of a memory file; 0, or the negated error number. */
    static int allocatePages(int fd, long offset, long bytes) {
        long result;
        do {
            result = call(Numbers.FALLOCATE, fd, 0, offset, bytes, 0, 0);
        } while (result == -EINTR); // a signal to this thread; pages that it had allocated stay
        return (int) result;
    }

    /** Frees the pages of a range of a memory file: it reads as zeros in every process; 0, or the negated error number. */
    static int discardPages(int fd, long offset, long bytes) {
        return (int) call(Numbers.FALLOCATE, fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, offset, bytes, 0, 0);
    }

    /** Opens a file with the given {@code O_*} flags; the file descriptor, or the negated error number. */
    static int open(String path, int flags) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment errno = scratch.allocate(8, 8);
            long address = scratch.allocateFrom(path).address();
            return (int) call(errno, Numbers.OPENAT, AT_FDCWD, address, flags, 0, 0, 0);
        }
    }

    /** Makes {@code target} a copy of {@code fd}, replacing what it was; {@code target}, or the negated error number. */
    static int duplicate(int fd, int target) {
        return (int) call(Numbers.DUP3, fd, target, 0, 0, 0, 0);
    }

    /** A copy of {@code fd}, above the standard descriptors and closed on exec, or the negated error number. */
    static int duplicateCloseOnExec(int fd) {
        return (int) call(Numbers.FCNTL, fd, F_DUPFD_CLOEXEC, 3, 0, 0, 0);
    }

    /** Whether a file descriptor is an end of a pipe. */
    static boolean isPipe(int fd) {
        return call(Numbers.FCNTL, fd, F_GETPIPE_SZ, 0, 0, 0, 0) >= 0;
    }

    /**
     * Waits until the other end of a pipe or socket is gone, a process has ended, a signal comes, or time is up.
     *
     * @param scratch {@link #POLL_SCRATCH_BYTES} of native memory
     * @param fd the own end; a negative one is waited for in vain
     * @param process a descriptor of {@link #openProcess}; a negative one is waited for in vain
     * @return {@link #PEER_GONE}, {@link #PROCESS_ENDED}, both, or 0
     */
    static int awaitPeerGone(MemorySegment scratch, int fd, int process, long timeoutNanos) {
        long nanos = Math.max(0, timeoutNanos);
        SharedWords.setLongPlain(scratch, TIMESPEC_OFFSET, nanos / NANOS_PER_SECOND);
        SharedWords.setLongPlain(scratch, TIMESPEC_OFFSET + 8, nanos % NANOS_PER_SECOND);
        // struct pollfd: descriptor 4, events asked for 2, events seen 2; little-endian machines only.
        long second = ARRAY_OFFSET + 8;
        SharedWords.setLongPlain(scratch, ARRAY_OFFSET, Integer.toUnsignedLong(fd));
        SharedWords.setLongPlain(scratch, second, Integer.toUnsignedLong(process) | (long) POLL_IN << 32);
        long address = scratch.address();
        if (call(scratch, Numbers.PPOLL, address + ARRAY_OFFSET, 2, address + TIMESPEC_OFFSET, 0, 0, 0) <= 0) {
            return 0;
        }
        boolean gone = ((int) (SharedWords.getLongPlain(scratch, ARRAY_OFFSET) >>> 48) & POLL_GONE) != 0;
        boolean ended = SharedWords.getLongPlain(scratch, second) >>> 48 != 0;
        return (gone ? PEER_GONE : 0) | (ended ? PROCESS_ENDED : 0);
    }

    /** A close-on-exec descriptor that shows when this process ends (Linux 5.3), or the negated error number. */
    static int openProcess(int pid) {
        return (int) call(Numbers.PIDFD_OPEN, pid, 0, 0, 0, 0, 0);
    }

    /** Closes a file descriptor; 0, or the negated error number. Never repeated: the descriptor is gone either way. */
    static int close(int fd) {
        return (int) call(Numbers.CLOSE, fd, 0, 0, 0, 0, 0);
    }

    /**
     * Sleeps while the 32-bit word at {@code address} holds {@code expected}, in any process that maps the page.
     *
     * @param timeoutNanos longest sleep; at most zero returns at once
     * @return 0 when woken (also spuriously), or the negated error number
     */
    static int futexWait(long address, int expected, long timeoutNanos) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment area = scratch.allocate(ARRAY_OFFSET, 8);
            long nanos = Math.max(0, timeoutNanos);
            SharedWords.setLongPlain(area, TIMESPEC_OFFSET, nanos / NANOS_PER_SECOND);
            SharedWords.setLongPlain(area, TIMESPEC_OFFSET + 8, nanos % NANOS_PER_SECOND);
            long timespec = area.address() + TIMESPEC_OFFSET;
            return (int) call(area, Numbers.FUTEX, address, FUTEX_WAIT, expected, timespec, 0, 0);
        }
    }

    /** Wakes up to {@code count} sleepers of the word at {@code address}; how many, or the negated error number. */
    static int futexWake(long address, int count) {
        // The error number is not needed to tell success from failure, and a ring must not allocate.
        return (int) callIgnoringErrno(Numbers.FUTEX, address, FUTEX_WAKE, count);
    }

    /**
     * Sleeps while each of {@code count} words holds its expected value.
     *
     * @return the index of a word that was woken, or the negated error number ({@code -ENOSYS} before kernel 5.16)
     */
    static int futexWaitAny(long[] addresses, int[] expected, int count, long timeoutNanos) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment area = scratch.allocate(ARRAY_OFFSET + count * WAITV_STRIDE_BYTES, 8);
            for (int i = 0; i < count; i++) {
                long entry = ARRAY_OFFSET + i * WAITV_STRIDE_BYTES;
                SharedWords.setLongPlain(area, entry, Integer.toUnsignedLong(expected[i]));
                SharedWords.setLongPlain(area, entry + 8, addresses[i]);
                SharedWords.setIntPlain(area, entry + 16, FUTEX2_SIZE_U32);
            }
            storeDeadline(area, Math.max(0, timeoutNanos));
            long waiters = area.address() + ARRAY_OFFSET;
            long timespec = area.address() + TIMESPEC_OFFSET;
            return (int) call(area, Numbers.FUTEX_WAITV, waiters, count, 0, timespec, CLOCK_MONOTONIC, 0);
        }
    }

    /** Stores the absolute time {@code nanos} from now on the kernel's monotonic clock. */
    private static void storeDeadline(MemorySegment area, long nanos) {
        // Asked of the kernel: nanoTime is this clock in HotSpot, but its specification does not say so.
        long timespec = area.address() + TIMESPEC_OFFSET;
        call(area, Numbers.CLOCK_GETTIME, CLOCK_MONOTONIC, timespec, 0, 0, 0, 0);
        long seconds = SharedWords.getLongPlain(area, TIMESPEC_OFFSET) + nanos / NANOS_PER_SECOND;
        long rest = SharedWords.getLongPlain(area, TIMESPEC_OFFSET + 8) + nanos % NANOS_PER_SECOND;
        SharedWords.setLongPlain(area, TIMESPEC_OFFSET, seconds + rest / NANOS_PER_SECOND);
        SharedWords.setLongPlain(area, TIMESPEC_OFFSET + 8, rest % NANOS_PER_SECOND);
    }

    /** The {@code membarrier} system call; its result, or the negated error number. */
    static int membarrier(int command) {
        return (int) call(Numbers.MEMBARRIER, command, 0, 0, 0, 0, 0);
    }

    /** Asks for a signal when the thread that created this process ends; 0, or the negated error number. */
    static int setParentDeathSignal(int signal) {
        return (int) call(Numbers.PRCTL, PR_SET_PDEATHSIG, signal, 0, 0, 0, 0);
    }

    /** Sends a signal; 0 or the negated error number. */
    static int kill(long pid, int signal) {
        return (int) callIgnoringErrno(Numbers.KILL, pid, signal, 0);
    }

    /** Process id of the parent as this pid namespace sees it; 0 if it lies outside. */
    static int parentPid() {
        return (int) callIgnoringErrno(Numbers.GETPPID, 0, 0, 0);
    }

    /** Number of the processor that runs the calling thread, or the negated error number. */
    static int currentProcessor() {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment area = scratch.allocate(ARRAY_OFFSET, 8);
            long result = call(area, Numbers.GETCPU, area.address() + TIMESPEC_OFFSET, 0, 0, 0, 0, 0);
            return result < 0 ? (int) result : SharedWords.getIntPlain(area, TIMESPEC_OFFSET);
        }
    }

    /** Any system call; its result, or the negated error number. */
    static long call(long number, long a, long b, long c, long d, long e, long f) {
        try (Arena scratch = Arena.ofConfined()) {
            return call(scratch.allocate(8, 8), number, a, b, c, d, e, f);
        }
    }

    /** One system call; {@code errno} receives the error number at its start. */
    private static long call(MemorySegment errno, long number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = (long) Linked.SYSCALL.invokeExact(errno, number, a, b, c, d, e, f);
            return result == -1 ? -SharedWords.getIntPlain(errno, ERRNO_OFFSET) : result;
        } catch (Throwable failure) {
            throw unexpected(number, failure);
        }
    }

    /** One system call of which only success or failure (-1) matters. */
    private static long callIgnoringErrno(long number, long a, long b, long c) {
        try {
            return (long) Linked.SYSCALL.invokeExact(Linked.IGNORED_ERRNO, number, a, b, c, 0L, 0L, 0L);
        } catch (Throwable failure) {
            throw unexpected(number, failure);
        }
    }

    private static IllegalStateException unexpected(long number, Throwable failure) {
        return new IllegalStateException("system call could not be made: number=" + number, failure);
    }
}

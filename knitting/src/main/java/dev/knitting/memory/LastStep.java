package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * What a worker takes from itself before it loads any task class: limits that cannot be raised again, and for all its
 * threads the right to start programs and to signal others. Prepared by the host, applied by the worker, which links its
 * first native function for that.
 *
 * <p>Bytes: 1 if there is a sandbox, else 0, 4; count of limits 4; for each its number 4 and value 8; nice level 4; count
 * of processor words 4, and these, 8 each; then the filter, or nothing. Nice level and processors count for the threads that come after: of the JVM's own
 * few, those that compile and collect stay as they are.
 */
public final class LastStep {
    /** {@code RLIMIT_*} of Linux, the same on x86-64 and aarch64. */
    public static final int LIMIT_CPU_SECONDS = 0;

    /**
     * See {@link #LIMIT_CPU_SECONDS}. One byte means no core dump at all: with none the kernel would still start the
     * machine's crash handler, outside the sandbox and fed by what is in it.
     */
    public static final int LIMIT_CORE = 4;
    /** See {@link #LIMIT_CPU_SECONDS}. */
    public static final int LIMIT_PROCESSES = 6;
    /** See {@link #LIMIT_CPU_SECONDS}. */
    public static final int LIMIT_FILES = 7;
    /** See {@link #LIMIT_CPU_SECONDS}. */
    public static final int LIMIT_ADDRESS_SPACE = 9;

    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int SECCOMP_FILTER_FLAG_TSYNC = 1;
    private static final int PR_SET_PDEATHSIG = 1;
    private static final int SIGKILL = 9;
    private static final long QUERY = 0xFFFFFFFFL;

    private LastStep() {}

    private static final class Numbers {
        private static final boolean ARM = "aarch64".equals(System.getProperty("os.arch"));
        static final long SECCOMP = ARM ? 277 : 317;
        static final long PRLIMIT64 = ARM ? 261 : 302;
        static final long GETPID = ARM ? 172 : 39;
        static final long SCHED_SETAFFINITY = ARM ? 122 : 203;
        static final long SETPRIORITY = ARM ? 140 : 141;
        static final long PERSONALITY = ARM ? 92 : 135;

        private Numbers() {}
    }

    /**
     * What the host tells the worker; empty if there is nothing to do.
     *
     * @param limits limit and value
     * @param nice nice level, 0 for none
     * @param processors a bit for each processor that may be used; empty for all
     * @param sandboxed whether it was started in a sandbox
     * @param filter whether the worker gives up starting programs and signalling others
     */
    public static byte[] prepare(
            Map<Integer, Long> limits, int nice, long[] processors, boolean sandboxed, boolean filter) {
        if (limits.isEmpty() && nice == 0 && processors.length == 0 && !sandboxed) {
            return new byte[0];
        }
        byte[] program = filter ? SandboxFilters.lastStep() : new byte[0];
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteBuffer head = ByteBuffer.allocate(16 + 12 * limits.size() + 8 * processors.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(sandboxed ? 1 : 0).putInt(limits.size());
        limits.forEach((limit, value) -> head.putInt(limit).putLong(value));
        head.putInt(nice).putInt(processors.length);
        for (long word : processors) {
            head.putLong(word);
        }
        bytes.writeBytes(head.array());
        bytes.writeBytes(program);
        return bytes.toByteArray();
    }

    /**
     * Applies it to this process. On the way of a worker's start.
     *
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if the kernel refuses: the worker must not go on
     */
    public static void apply(byte[] prepared) {
        if (!NativeAccess.enabled()) {
            throw refused("native access", 0);
        }
        ByteBuffer words = ByteBuffer.wrap(prepared).order(ByteOrder.LITTLE_ENDIAN);
        try (Arena scratch = Arena.ofConfined()) {
            // Linking needs memory: first of all, and before any limit.
            int pid = (int) LinuxCalls.call(Numbers.GETPID, 0, 0, 0, 0, 0, 0);
            if (words.getInt() != 0) {
                enterSandbox();
            }
            MemorySegment limit = scratch.allocate(16, 8);
            for (int left = words.getInt(); left > 0; left--) {
                int number = words.getInt();
                long value = words.getLong();
                SharedWords.setLongPlain(limit, 0, value);
                SharedWords.setLongPlain(limit, 8, value);
                check("limit " + number, LinuxCalls.call(Numbers.PRLIMIT64, 0, number, limit.address(), 0, 0, 0));
            }
            int nice = words.getInt();
            if (nice != 0) {
                check("nice", LinuxCalls.call(Numbers.SETPRIORITY, 0, 0, nice, 0, 0, 0));
            }
            setProcessors(scratch, words);
            if (words.hasRemaining()) {
                install(scratch, words, pid);
            }
        }
    }

    /**
     * Makes sure that what the starting thread gave up is given up here too (a command prefix may have had somebody else
     * start this process), and that this process ends with its host, whatever a task does to the threads that watch it.
     */
    private static void enterSandbox() {
        if (!isFiltered()) {
            throw refused("the host's filter was not inherited", 0);
        }
        check("end with the host", LinuxCalls.call(LinuxCalls.Numbers.PRCTL, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0));
    }

    /** Whether this process inherited the host's filter: told by a harmless question that the filter always refuses. */
    static boolean isFiltered() {
        return LinuxCalls.call(Numbers.PERSONALITY, QUERY, 0, 0, 0, 0, 0) == -LinuxCalls.EPERM;
    }

    private static void setProcessors(Arena scratch, ByteBuffer words) {
        int count = words.getInt();
        if (count == 0) {
            return;
        }
        MemorySegment mask = scratch.allocate(8L * count, 8);
        for (int i = 0; i < count; i++) {
            SharedWords.setLongPlain(mask, 8L * i, words.getLong());
        }
        check("processors", LinuxCalls.call(Numbers.SCHED_SETAFFINITY, 0, 8L * count, mask.address(), 0, 0, 0));
    }

    private static void install(Arena scratch, ByteBuffer program, int pid) {
        int bytes = program.remaining();
        MemorySegment area = scratch.allocate(16L + bytes, 8);
        SharedWords.setIntPlain(area, 0, bytes / 8);
        SharedWords.setLongPlain(area, 8, area.address() + 16);
        for (long at = 16; program.hasRemaining(); at += 8) {
            // An instruction: operation and jumps 4, operand 4.
            SharedWords.setIntPlain(area, at, program.getInt());
            int operand = program.getInt();
            SharedWords.setIntPlain(area, at + 4, operand == SandboxFilters.OWN_PID ? pid : operand);
        }
        check(
                "seccomp",
                LinuxCalls.call(
                        Numbers.SECCOMP, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, area.address(), 0, 0, 0));
    }

    private static void check(String step, long result) {
        if (result != 0) {
            throw refused(step, result);
        }
    }

    private static KnittingException refused(String step, long result) {
        return KnittingException.of(
                ErrorCode.STARTUP_FAILED, "the worker could not restrict itself", "step", step, "result", result);
    }
}

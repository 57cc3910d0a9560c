package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * A process that is started by a thread that gave up rights first, so that it never had them.
 *
 * <p>{@link #prepare} does on any thread all that needs rights or loads classes; {@link #startHere} then restricts the
 * calling thread for ever and starts the program from it. Each process needs a thread of its own: rights are then a
 * domain (Landlock) of its own too, and the workers of one pool cannot look at each other. The thread must
 * live as long as the process, whose parent-death signal follows it: it waits in {@link #awaitEnd}.
 */
public final class ConfinedProcess {
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;
    private static final int PR_CAPBSET_DROP = 24;
    private static final int PR_CAP_AMBIENT = 47;
    private static final int PR_CAP_AMBIENT_CLEAR_ALL = 4;
    private static final int CAPABILITY_VERSION_3 = 0x20080522;
    private static final int MOST_CAPABILITIES = 64;
    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int P_PID = 1;
    private static final int WEXITED = 4;
    private static final int WNOWAIT = 0x0100_0000;
    private static final int CLD_EXITED = 1;
    private static final int SIGKILL = 9;
    private static final long SIGINFO_BYTES = 128;
    private static final int SIGNAL_BASE = 128;
    private static final long WORD = 8;

    /** Lives as long as somebody refers to this object. */
    private final Arena arena = Arena.ofAuto();

    private final String name;
    private final int ruleset;
    private final int input;
    private final int outputWriter;
    private final InputStream output;
    private final MemorySegment filter;
    private final MemorySegment capabilities;
    private final MemorySegment pidCell = arena.allocate(WORD, WORD);
    private final MemorySegment program;
    private final MemorySegment arguments;
    private final MemorySegment environment;
    private final MemorySegment actions;
    private final MemorySegment attributes;
    private final MemorySegment siginfo = arena.allocate(SIGINFO_BYTES, WORD);
    /** Guarded by this: once reaped, the number may be somebody else's. */
    private boolean reaped;

    private volatile int pid;

    private ConfinedProcess(
            String name,
            SandboxRules rules,
            Path temporary,
            List<byte[]> command,
            List<byte[]> variables,
            byte[] directory,
            Path standardInput)
            throws IOException {
        this.name = name;
        this.program = text(command.get(0));
        this.arguments = texts(command);
        this.environment = texts(variables);
        this.filter = filter(rules.filter());
        this.capabilities = noCapabilities();
        try (SandboxRules.OpenPath own = SandboxRules.writable(temporary)) {
            this.ruleset = Landlock.ruleset(rules, own);
        }
        if (ruleset < 0) {
            throw new IOException("the rules of the sandbox are refused: errno=" + -ruleset);
        }
        this.input = LinuxCalls.open(standardInput.toString(), O_RDONLY | O_CLOEXEC);
        MemorySegment pipe = arena.allocate(WORD, WORD);
        int piped = input < 0 ? input : (int) LinuxCalls.call(Numbers.PIPE2, pipe.address(), O_CLOEXEC, 0, 0, 0, 0);
        if (piped < 0) {
            closeIfOpen(input);
            LinuxCalls.close(ruleset);
            throw new IOException("no standard input or output for the process: errno=" + -piped);
        }
        int reader = SharedWords.getIntPlain(pipe, 0);
        this.outputWriter = SharedWords.getIntPlain(pipe, 4);
        // Opened while there is a writer: otherwise it would wait for one.
        this.output = new FileInputStream("/proc/self/fd/" + reader);
        LinuxCalls.close(reader);
        this.actions = SpawnCalls.actions(arena, input, outputWriter, text(directory));
        this.attributes = SpawnCalls.attributes(arena);
    }

    private static final class Numbers {
        private static final boolean ARM = "aarch64".equals(System.getProperty("os.arch"));
        static final long PIPE2 = ARM ? 59 : 293;
        static final long WAITID = ARM ? 95 : 247;
        static final long CAPSET = ARM ? 91 : 126;

        private Numbers() {}
    }

    /** Number of the system call {@code seccomp}. */
    static final long SECCOMP = Numbers.ARM ? 277 : 317;

    /**
     * Does all that can be done before rights are given up.
     *
     * @param name for error texts
     * @param rules what it may do
     * @param temporary a folder of its own that it may write
     * @param command program and arguments, in the charset of the operating system
     * @param variables the whole environment, {@code NAME=value}
     * @param directory where it runs
     * @param standardInput file that becomes its standard input
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if the kernel refuses the rules, or there are no files
     */
    public static ConfinedProcess prepare(
            String name,
            SandboxRules rules,
            Path temporary,
            List<byte[]> command,
            List<byte[]> variables,
            byte[] directory,
            Path standardInput) {
        try {
            return new ConfinedProcess(name, rules, temporary, command, variables, directory, standardInput);
        } catch (IOException e) {
            String message = KnittingException.message("sandboxed process not prepared", "name", name, "reason", e);
            throw new KnittingException(ErrorCode.STARTUP_FAILED, message, e);
        }
    }

    /**
     * Restricts the calling thread for ever and starts the program. To be called once, by a platform thread that does
     * nothing else afterwards but {@link #awaitEnd}.
     *
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} naming the step that failed; the thread is to end then
     */
    public void startHere() {
        try {
            check("dropping capabilities", dropCapabilities());
            check("landlock", Landlock.restrictThread(ruleset));
            check("seccomp", LinuxCalls.call(SECCOMP, SECCOMP_SET_MODE_FILTER, 0, filter.address(), 0, 0, 0));
            check("executing", -SpawnCalls.spawn(pidCell, program, actions, attributes, arguments, environment));
            pid = SharedWords.getIntPlain(pidCell, 0);
        } finally {
            LinuxCalls.close(ruleset);
            LinuxCalls.close(input);
            LinuxCalls.close(outputWriter);
        }
    }

    private void check(String step, long result) {
        if (result < 0) {
            throw KnittingException.of(
                    ErrorCode.STARTUP_FAILED,
                    "sandboxed process not started",
                    "name",
                    name,
                    "step",
                    step,
                    "errno",
                    -result);
        }
    }

    /** A privileged user's child is to have no more privileges than anybody's. Without any, this changes nothing. */
    private long dropCapabilities() {
        LinuxCalls.call(LinuxCalls.Numbers.PRCTL, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0);
        for (int capability = 0; capability < MOST_CAPABILITIES; capability++) {
            // Refused to those who have none, and beyond the last one.
            LinuxCalls.call(LinuxCalls.Numbers.PRCTL, PR_CAPBSET_DROP, capability, 0, 0, 0, 0);
        }
        long header = capabilities.address();
        return LinuxCalls.call(Numbers.CAPSET, header, header + WORD, 0, 0, 0, 0);
    }

    /** Header (version, this thread), then two sets of three words, all empty. */
    private MemorySegment noCapabilities() {
        MemorySegment words = arena.allocate(4 * WORD, WORD);
        SharedWords.setIntPlain(words, 0, CAPABILITY_VERSION_3);
        return words;
    }

    /** {@code struct sock_fprog}: count, pointer; then the instructions. */
    private MemorySegment filter(byte[] instructions) {
        MemorySegment words = arena.allocate(2 * WORD + instructions.length, WORD);
        SharedWords.setIntPlain(words, 0, instructions.length / 8);
        SharedWords.setLongPlain(words, WORD, words.address() + 2 * WORD);
        MemorySegment.copy(MemorySegment.ofArray(instructions), 0, words, 2 * WORD, instructions.length);
        return words;
    }

    private MemorySegment text(byte[] bytes) {
        MemorySegment text = arena.allocate(bytes.length + 1L, 1);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, text, 0, bytes.length);
        return text;
    }

    /** An array of pointers with null at its end. */
    private MemorySegment texts(List<byte[]> all) {
        MemorySegment pointers = arena.allocate((all.size() + 1) * WORD, WORD);
        for (int i = 0; i < all.size(); i++) {
            SharedWords.setLongPlain(pointers, i * WORD, text(all.get(i)).address());
        }
        return pointers;
    }

    private static void closeIfOpen(int descriptor) {
        if (descriptor >= 0) {
            LinuxCalls.close(descriptor);
        }
    }

    /** Its process id; 0 before it is started. */
    public int pid() {
        return pid;
    }

    /** What it prints, standard error too. */
    public InputStream output() {
        return output;
    }

    /**
     * Waits for the end of the process and takes it off the kernel's books. For the thread that started it.
     *
     * @return its exit code, 128 and the signal's number if it was killed, 255 if another waiter was quicker
     */
    public int awaitEnd() {
        long result;
        do {
            result = LinuxCalls.call(Numbers.WAITID, P_PID, pid, siginfo.address(), WEXITED | WNOWAIT, 0, 0);
        } while (result == -LinuxCalls.EINTR);
        synchronized (this) {
            reaped = true;
            if (result < 0) {
                return SIGNAL_BASE + SIGNAL_BASE - 1;
            }
            LinuxCalls.call(Numbers.WAITID, P_PID, pid, siginfo.address(), WEXITED, 0, 0);
        }
        // struct siginfo: code at 8, status at 24.
        int status = SharedWords.getIntPlain(siginfo, 24);
        return SharedWords.getIntPlain(siginfo, 8) == CLD_EXITED ? status : SIGNAL_BASE + status;
    }

    /** Kills it if it still runs. */
    public synchronized void kill() {
        if (!reaped && pid > 0) {
            LinuxCalls.kill(pid, SIGKILL);
        }
    }

    /** Whether it runs; false from the moment of its death. */
    public synchronized boolean isAlive() {
        if (reaped || pid == 0) {
            return false;
        }
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment info = scratch.allocate(SIGINFO_BYTES, WORD);
            long result =
                    LinuxCalls.call(Numbers.WAITID, P_PID, pid, info.address(), WEXITED | WNOWAIT | WNOHANG, 0, 0);
            return result == 0 && SharedWords.getIntPlain(info, 0) == 0;
        }
    }

    private static final int WNOHANG = 1;
}

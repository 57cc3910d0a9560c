package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Sandbox;
import dev.knitting.memory.ConfinedProcess;
import dev.knitting.memory.PrivateDirectory;
import dev.knitting.memory.RestrictionReport;
import dev.knitting.memory.SandboxSupport.Capability;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Asks a Java runtime that is not the host's, or stands behind a command prefix, what holds in it: by a start in the
 * sandbox, as a worker's, of a program that only looks. What does not hold is refused by name before any worker exists.
 *
 * <p>Bounded by two seconds; answers are remembered for the life of the host. A runtime that is slower than that is not
 * refused: its workers check the same things themselves before they load a task, and do not start without them.
 */
final class SandboxProbe {
    private static final long MOST_SECONDS = 2;
    private static final int MOST_OUTPUT = 8192;
    /** Answers, by what was asked. */
    private static final Map<Question, String> ANSWERS = new ConcurrentHashMap<>();

    private record Question(List<String> command, Sandbox sandbox, int landlock) {}

    /** What a program printed, and its exit code; null while it ran on. */
    private record Ran(
            String output,
            @org.jspecify.annotations.Nullable Integer exitCode) {}

    private SandboxProbe() {}

    /**
     * Refuses a sandbox that does not hold in this command's runtime.
     *
     * @throws KnittingException {@link ErrorCode#UNSUPPORTED_PLATFORM} naming what does not hold, or what the runtime or
     *     prefix said when it did not run
     */
    static void check(WorkerCommand command, Sandbox sandbox) {
        List<String> runtime = new ArrayList<>(command.prefix());
        runtime.add(command.java().toString());
        Question question = new Question(runtime, sandbox, dev.knitting.memory.SandboxSupport.landlockAbi());
        String answer = ANSWERS.get(question);
        if (answer == null) {
            answer = ask(command);
            if (answer.isEmpty()) {
                return;
            }
            ANSWERS.put(question, answer);
        }
        List<String> missing = missing(answer, sandbox);
        if (!missing.isEmpty()) {
            throw refused("this runtime cannot enforce the sandbox", command, "missing", missing);
        }
    }

    private static List<String> missing(String answer, Sandbox sandbox) {
        List<String> missing = new ArrayList<>();
        if (!answer.contains(RestrictionReport.ARCHITECTURE + System.getProperty("os.arch") + " ")) {
            missing.add(Capability.PRIVILEGES + ": the filter is made for " + System.getProperty("os.arch") + ", but "
                    + answer);
        }
        if (answer.contains(RestrictionReport.NO_NATIVE_ACCESS)) {
            missing.add((sandbox.childProcesses() ? Capability.PRIVILEGES : Capability.NO_CHILD_PROCESSES)
                    + ": the worker's JVM has no native access");
        }
        if (answer.contains(RestrictionReport.NO_RULES)) {
            missing.add(Capability.READ + ", " + Capability.WRITE
                    + ": the Landlock rules do not reach the worker; does the prefix have somebody else start it?");
        }
        if (answer.contains(RestrictionReport.NO_FILTER)) {
            missing.add(Capability.NO_NETWORK + ", " + Capability.OTHER_PROCESSES
                    + ": the seccomp filter does not reach the worker; does the prefix have somebody else start it?");
        }
        return missing;
    }

    /** The program's answer; empty if it takes too long. */
    private static String ask(WorkerCommand command) {
        for (int again = 0; ; again++) {
            Ran ran = run(command);
            String output = ran.output();
            int at = output.indexOf(RestrictionReport.BEGIN);
            if (at >= 0 && output.indexOf('\n', at) > 0) {
                return output.substring(at, output.indexOf('\n', at));
            }
            if (ran.exitCode() == null) {
                LauncherLog.warning(
                        "a runtime did not answer in time; its workers will check the sandbox themselves: java="
                                + command.java() + ", prefix=" + command.prefix() + ", limit=" + MOST_SECONDS + " s");
                return "";
            }
            if (again >= JvmFlags.OPTIONAL.size() || !command.leaveOutRefused(output)) {
                throw refused(
                        "the runtime does not run in the sandbox",
                        command,
                        "said",
                        output.strip() + " (exit code " + ran.exitCode() + ")");
            }
        }
    }

    private static Ran run(WorkerCommand command) {
        WorkerCommand.Line line = command.line(0, List.of(RestrictionReport.ARGUMENT));
        ConfinedProcess prepared = command.prepare("probe", line, Path.of("/dev/null"));
        try {
            ConfinedWorker process = ConfinedWorker.start("probe", prepared);
            try (InputStream output = process.getInputStream()) {
                boolean ended = process.waitFor(MOST_SECONDS, TimeUnit.SECONDS);
                // What is there: a descendant may keep the pipe open.
                byte[] bytes = output.readNBytes(Math.min(MOST_OUTPUT, output.available()));
                return new Ran(new String(bytes, StandardCharsets.UTF_8), ended ? (Integer) process.exitValue() : null);
            } finally {
                ProcessTree.kill(process);
            }
        } catch (KnittingException e) {
            return new Ran(Objects.requireNonNullElse(e.getMessage(), ""), -1);
        } catch (IOException e) {
            return new Ran(e.toString(), -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw KnittingException.of(
                    ErrorCode.INTERRUPTED, "interrupted while a runtime was asked", "java", command.java());
        } finally {
            PrivateDirectory.deleteQuietly(Objects.requireNonNull(line.temporary()));
        }
    }

    private static KnittingException refused(String what, WorkerCommand command, String name, Object value) {
        return KnittingException.of(
                ErrorCode.UNSUPPORTED_PLATFORM,
                what,
                "java",
                command.java(),
                "prefix",
                command.prefix(),
                name,
                value,
                "option",
                command.prefix().isEmpty() ? "jvm.javaHome" : "commandPrefix, jvm.javaHome");
    }
}

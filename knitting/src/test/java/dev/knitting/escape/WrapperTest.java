package dev.knitting.escape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Sandbox;
import dev.knitting.observe.SandboxTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers behind a command prefix that is a sandbox, or stands before one. */
@Timeout(120)
class WrapperTest {
    private static final String[] BUBBLEWRAP = {
        "bwrap",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/home",
        "--unshare-net",
        "--unshare-ipc",
        "--die-with-parent"
    };

    @TempDir
    Path directory;

    private static boolean works(String... command) throws InterruptedException {
        try {
            String[] all = java.util.Arrays.copyOf(command, command.length + 1);
            all[command.length] = "true";
            Process process = new ProcessBuilder(all)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void bubblewrap_recipeOfTheDocument_runsAndHolds() throws Exception {
        assumeTrue(works(BUBBLEWRAP), "bwrap is not installed, or may make no namespaces here");
        String file = directory.resolve("new").toString();
        try (Pool pool = Pool.processes(1)
                .jvm(jvm -> jvm.maxHeap("48m"))
                .commandPrefix(BUBBLEWRAP)
                .open()) {
            assertThat(pool.invoke(() -> SandboxTasks.environment("HOME"))).isNotNull();
            assertThatThrownBy(() -> pool.invoke(() -> SandboxTasks.write(file)))
                    .hasMessageContaining("FileSystemException");
        }
        assertThat(Path.of(file)).doesNotExist();
    }

    /** Its namespaces are what the sandbox refuses: that is found out before a worker is started. */
    @Test
    void bubblewrap_insideASandbox_isRefusedByNameWithWhatItSays() throws Exception {
        assumeTrue(works(BUBBLEWRAP), "bwrap is not installed, or may make no namespaces here");
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        assertThatThrownBy(() -> Pool.processes(1)
                        .sandbox(Sandbox.strict())
                        .jvm(jvm -> jvm.maxHeap("48m"))
                        .commandPrefix(BUBBLEWRAP)
                        .open())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PLATFORM))
                .hasMessageContaining("the runtime does not run in the sandbox")
                .hasMessageContaining("said=bwrap:")
                .hasMessageContaining("option=commandPrefix");
    }

    @Test
    void env_asPrefixOfASandboxedWorker_works() throws Exception {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        String secret = Files.writeString(directory.resolve("secret"), "x").toString();
        try (Pool pool = Pool.processes(1)
                .sandbox(Sandbox.strict())
                .jvm(jvm -> jvm.maxHeap("48m"))
                .commandPrefix("env", "KNITTING_COLOUR=blue")
                .open()) {
            assertThat(pool.invoke(() -> SandboxTasks.environment("KNITTING_COLOUR")))
                    .isEqualTo("blue");
            assertThatThrownBy(() -> pool.invoke(() -> SandboxTasks.read(secret)))
                    .hasMessageContaining("refused by the sandbox");
        }
    }

    /** A wrapper that drops what the worker needs to restrict itself: no task may run then. */
    @Test
    void runtimeThatDropsNativeAccess_doesNotStartUnrestricted() throws Exception {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        assertThatThrownBy(() -> Pool.processes(1)
                        .sandbox(Sandbox.strict())
                        .jvm(jvm -> jvm.maxHeap("48m").systemProperty("knitting.native", "false"))
                        .open())
                .isInstanceOf(KnittingException.class)
                .hasMessageContaining("could not restrict itself");
    }
}

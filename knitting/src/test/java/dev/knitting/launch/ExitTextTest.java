package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExitTextTest {
    @TempDir
    Path directory;

    private final OutputTail tail = new OutputTail();

    private WorkerExit collect(int exitCode) {
        return ExitText.collect(71, exitCode, tail, directory.resolve("hs_err.log"), new MemoryKills(null));
    }

    @Test
    void describe_abortedWithOutput_namesCodeSignalAndOutput() {
        tail.add("say \"no\"");

        assertThat(collect(134).describe())
                .isEqualTo("pid=71, exitCode=134, signal=SIGABRT, lastOutput=\"say \\\"no\\\"\"");
    }

    @Test
    void describe_silentExit_namesTheCodeOnly() {
        assertThat(collect(3).describe()).isEqualTo("pid=71, exitCode=3");
    }

    @Test
    void collect_codesThatAreNoSignals_nameNone() {
        for (int code : new int[] {0, 1, 127, 128, 160, 255}) {
            assertThat(collect(code).signal()).as("code %d", code).isNull();
        }
        assertThat(collect(143).signal()).isEqualTo("SIGTERM");
        assertThat(collect(159).signal()).isEqualTo("SIGSYS");
    }

    @Test
    void collect_killed_isNotCalledOutOfMemory() {
        tail.add("INFO caught java.lang.OutOfMemoryError, went on");

        assertThat(collect(137).outOfMemory()).isFalse();
    }

    @Test
    void collect_jvmSaysOutOfMemory_isOutOfMemory() {
        tail.add("Terminating due to java.lang.OutOfMemoryError: Java heap space");

        assertThat(collect(3).outOfMemory()).isTrue();
        assertThat(collect(3).describe()).contains("outOfMemory=true");
    }

    @Test
    void collect_crashReport_takesItsHead() throws IOException {
        Files.writeString(directory.resolve("hs_err.log"), """
            #
            # A fatal error has been detected by the Java Runtime Environment:
            #
            #  SIGSEGV (0xb) at pc=0x0, pid=71, tid=72
            # Problematic frame:
            # C  [libx.so+0x1]
            # If you would like to submit a bug report, please visit:
            #   https://example.org

            ---------------  S U M M A R Y ------------
            Command Line: secret
            """);

        assertThat(collect(134).crashReport())
                .contains("SIGSEGV (0xb)", "Problematic frame:\nC  [libx.so+0x1]")
                .doesNotContain("secret", "bug report", "https");
        assertThat(collect(1).isCrash()).isTrue();
    }
}

package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Native access, and the system calls that have no test of their own. */
@Timeout(60)
class NativeCallsTest {
    @Test
    void enabled_switchedOffByProperty_isFalse() {
        String before = System.getProperty(NativeAccess.PROPERTY);
        System.setProperty(NativeAccess.PROPERTY, "false");
        try {
            assertThat(NativeAccess.enabled()).isFalse();
            assertThat(ProcessBarrier.isSupported()).isFalse();
            assertThat(StandardInput.replaceDescriptor()).isFalse();
        } finally {
            if (before == null) {
                System.clearProperty(NativeAccess.PROPERTY);
            } else {
                System.setProperty(NativeAccess.PROPERTY, before);
            }
        }
    }

    @Test
    void enabled_notGranted_isFalseWithoutAnyWarning() throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of(), null, "native")) {
            assertThat(child.rest()).isEqualTo("enabled=false\n");
        }
    }

    @Test
    void enabled_granted_isTrueOnLinux() throws Exception {
        assumeTrue("Linux".equals(System.getProperty("os.name")) && LinuxCalls.Numbers.isKnown());
        try (ChildJvm child = ChildJvm.start("native")) {
            assertThat(child.rest()).isEqualTo("enabled=true\n");
        }
    }

    @Test
    void enabledOrHint_notGranted_hintsOnceAndNamesTheFlag() throws Exception {
        assumeTrue("Linux".equals(System.getProperty("os.name")) && LinuxCalls.Numbers.isKnown());
        try (ChildJvm child = ChildJvm.start(List.of(), null, "hint")) {
            assertThat(child.rest())
                    .containsOnlyOnce("--enable-native-access=ALL-UNNAMED")
                    .contains("INFO")
                    .contains("hinted=falsefalse")
                    .doesNotContain("WARNING");
        }
    }

    @Test
    void enabledOrHint_switchedOff_saysNothing() throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of("-Dknitting.native=false"), null, "hint")) {
            assertThat(child.rest()).isEqualTo("hinted=falsefalse\n");
        }
    }

    @Test
    void errnoOffset_isWhereTheLinkerPutsIt() {
        assertThat(Linker.Option.captureStateLayout().byteOffset(PathElement.groupElement("errno")))
                .isZero();
    }

    @Test
    void register_thenGlobal_succeed() {
        assumeTrue(ProcessBarrier.isSupported(), "no membarrier");
        assertThat(ProcessBarrier.register()).isTrue();
        assertThat(ProcessBarrier.register()).isTrue();
        ProcessBarrier.global();
        ProcessBarrier.compilerFence();
    }

    @Test
    void parentPid_isTheOneThatTheJdkSays() {
        assumeTrue(NativeAccess.enabled());
        long parent = ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
        assertThat(ParentProcess.pid()).isEqualTo((int) parent);
    }

    @Test
    void dieWithCreator_parentKilled_killsTheChild() throws Exception {
        assumeTrue(NativeAccess.enabled());
        try (ChildJvm parent = ChildJvm.start("parent")) {
            String line = String.valueOf(parent.line());
            assertThat(line).endsWith(" bound=true");
            long pid = Long.parseLong(line.substring("pid=".length(), line.indexOf(' ')));
            HostLiveness grandchild = HostLiveness.of(pid, HostLiveness.startToken(pid));
            assertThat(grandchild.isVisible()).isTrue();

            parent.kill();

            while (grandchild.isAlive()) { // until the time of this test is over
                Thread.onSpinWait();
                assertThat(Thread.interrupted()).as("grandchild lives on").isFalse();
            }
        }
    }

    @Test
    void outputPipe_readerGone_isSeenToBreakOnce() throws Exception {
        assumeTrue(NativeAccess.enabled());
        try (ChildJvm child = ChildJvm.start("pipe")) {
            assertThat(child.line()).isEqualTo("open=true broken=false");

            assertThat(child.exitCodeWithoutReader()).isEqualTo(42);
        }
    }

    @Test
    void awaitPeerGone_processEnds_isSeen() throws Exception {
        assumeTrue(NativeAccess.enabled());
        Process process = new ProcessBuilder("cat").start();
        try {
            int handle = LinuxCalls.openProcess((int) process.pid());
            MemorySegment scratch = Arena.global().allocate(LinuxCalls.POLL_SCRATCH_BYTES, 8);
            assertThat(handle).isNotNegative();
            assertThat(LinuxCalls.awaitPeerGone(scratch, -1, handle, 0)).isZero();

            process.getOutputStream().close();

            assertThat(LinuxCalls.awaitPeerGone(scratch, -1, handle, 60_000_000_000L))
                    .isEqualTo(LinuxCalls.PROCESS_ENDED);
            LinuxCalls.close(handle);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void outputPipe_outputIsAFile_neverBreaks(@TempDir Path directory) throws Exception {
        assumeTrue(NativeAccess.enabled());
        int file = LinuxCalls.open(Files.createFile(directory.resolve("output")).toString(), 1);
        try {
            assertThat(LinuxCalls.isPipe(file)).isFalse();
            assertThat(LinuxCalls.awaitPeerGone(Arena.global().allocate(LinuxCalls.POLL_SCRATCH_BYTES, 8), file, -1, 0))
                    .isZero();
        } finally {
            LinuxCalls.close(file);
        }
    }

    @Test
    void procOfAnotherNamespace_isForeign() {
        assumeTrue(Files.exists(Path.of("/proc/self")));
        long pid = ProcessHandle.current().pid();
        assertThat(ProcStat.isForeign(pid)).isFalse();
        assertThat(ProcStat.isForeign(pid + 1)).isTrue();
    }

    @Test
    void currentProcessor_isOneOfTheMachine() {
        assumeTrue(NativeAccess.enabled());
        assertThat(LinuxCalls.currentProcessor()).isNotNegative();
    }

    @Test
    void failingCall_returnsNegatedErrorNumber() {
        assumeTrue(NativeAccess.enabled());
        assertThat(LinuxCalls.open("/no/such/file", 0)).isEqualTo(-2);
        assertThat(LinuxCalls.close(1 << 20)).isEqualTo(-9);
        assertThat(LinuxCalls.seals(1 << 20)).isEqualTo(-9);
    }
}

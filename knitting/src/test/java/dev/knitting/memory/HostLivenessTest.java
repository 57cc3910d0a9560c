package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostLivenessTest {
    private static final String AFTER_THREADS = " 0 322987 4 5 6\n";

    private static long parse(String stat) {
        byte[] bytes = stat.getBytes(StandardCharsets.UTF_8);
        return ProcStat.parse(bytes, bytes.length);
    }

    /** Fields 3 to 19 with this state, then the thread count. */
    private static String stat(String name, char state, int threads) {
        return "17 (" + name + ") " + state + " 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 " + threads + AFTER_THREADS;
    }

    @Test
    void isAlive_childKilled_becomesFalse() throws Exception {
        try (ChildJvm child = ChildJvm.start("stay")) {
            assertThat(child.line()).isEqualTo("ready");
            HostLiveness host = HostLiveness.of(child.pid(), HostLiveness.startToken(child.pid()));
            assertThat(host.isVisible()).isTrue();
            assertThat(host.isAlive()).isTrue();

            child.kill();

            assertThat(host.isAlive()).isFalse();
            assertThat(HostLiveness.startToken(child.pid())).isZero();
            assertThat(HostLiveness.of(child.pid(), 0).isVisible()).isFalse();
        }
    }

    @Test
    void isAlive_samePidOtherStart_isFalse() {
        ProcessIdentity self = ProcessIdentity.current();
        assertThat(HostLiveness.of(self.pid(), self.startToken()).isAlive()).isTrue();
        assertThat(HostLiveness.of(self.pid(), self.startToken() + 2).isAlive()).isFalse();
        assertThat(HostLiveness.of(self.pid(), 0).isAlive()).as("unknown start").isTrue();
    }

    @Test
    void isAlive_tokenOfTheOtherKind_isNotCompared() {
        ProcessIdentity self = ProcessIdentity.current();
        assertThat(HostLiveness.of(self.pid(), self.startToken() ^ 1).isAlive()).isTrue();
    }

    @Test
    void handles_withoutProc_tellTheSame() throws Exception {
        try (ChildJvm child = ChildJvm.start("stay")) {
            assertThat(child.line()).isEqualTo("ready");
            long token = HostLiveness.Handles.startToken(child.pid());
            assertThat(token).isPositive().isEven();
            assertThat(HostLiveness.Handles.isAlive(child.pid(), token)).isTrue();
            assertThat(HostLiveness.Handles.isAlive(child.pid(), token + 2)).isFalse();

            child.kill();

            assertThat(HostLiveness.Handles.isAlive(child.pid(), token)).isFalse();
            assertThat(HostLiveness.Handles.startToken(child.pid())).isZero();
        }
    }

    @Test
    void startTicks_ownProcess_isWhatProcSays() {
        assumeTrue(new File("/proc/self/stat").exists());
        assertThat(ProcStat.startTicks(ProcessHandle.current().pid())).isPositive();
        assertThat(ProcStat.startTicks(1L << 40)).isEqualTo(ProcStat.GONE);
    }

    @Test
    void parse_ordinaryLine_isField22() {
        assertThat(parse(stat("java", 'S', 30))).isEqualTo(322987);
    }

    @Test
    void parse_nameFullOfTraps_isField22() {
        assertThat(parse(stat("a) Z 1 (b c)) X", 'R', 1))).isEqualTo(322987);
    }

    @Test
    void parse_deadOrZombie_isGone() {
        assertThat(parse(stat("java", 'X', 1))).isEqualTo(ProcStat.GONE);
        assertThat(parse(stat("java", 'Z', 1))).isEqualTo(ProcStat.GONE);
    }

    @Test
    void parse_firstThreadEndedOthersRun_isAlive() {
        assertThat(parse(stat("java", 'Z', 20))).isEqualTo(322987);
    }

    @Test
    void parse_cutOrEmpty_isUnreadable() {
        String whole = stat("java", 'S', 30);
        int start = whole.indexOf("322987");
        for (int length = 0; length <= start; length++) {
            assertThat(parse(whole.substring(0, length)))
                    .as("length %d", length)
                    .isEqualTo(ProcStat.UNREADABLE);
        }
    }
}

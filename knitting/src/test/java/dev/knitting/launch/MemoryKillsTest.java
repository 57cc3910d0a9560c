package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be concluded from the kernel's counter, and what not. */
class MemoryKillsTest {
    private static final int SIGKILL = 137;

    @TempDir
    Path directory;

    private Path counter(Path file, long kills) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "low 0\nhigh 0\nmax 12\noom 3\noom_kill " + kills + "\n");
    }

    @Test
    void claim_counterRose_explainsAsManyDeathsAsItRose() throws IOException {
        Path file = counter(directory.resolve("memory.events"), 5);
        MemoryKills kills = new MemoryKills(file);
        assertThat(kills.claim(SIGKILL)).as("what was before means nothing").isFalse();
        counter(file, 7);
        assertThat(kills.claim(134)).as("it kills by SIGKILL only").isFalse();
        assertThat(kills.claim(SIGKILL)).isTrue();
        assertThat(kills.claim(SIGKILL)).isTrue();
        assertThat(kills.claim(SIGKILL)).isFalse();
    }

    @Test
    void sync_aWorkerStarts_forgetsWhatWasBefore() throws IOException {
        Path file = counter(directory.resolve("memory.events"), 0);
        MemoryKills kills = new MemoryKills(file);
        counter(file, 1);
        kills.sync();
        assertThat(kills.claim(SIGKILL)).isFalse();
        counter(file, 2);
        assertThat(kills.claim(SIGKILL)).isTrue();
    }

    @Test
    void claim_noCounterOrBroken_explainsNothing() throws IOException {
        assertThat(new MemoryKills(null).claim(SIGKILL)).isFalse();
        assertThat(new MemoryKills(directory.resolve("missing")).claim(SIGKILL)).isFalse();
        Path broken = Files.writeString(directory.resolve("broken"), "oom_kill many\n");
        assertThat(new MemoryKills(broken).claim(SIGKILL)).isFalse();
    }

    @Test
    void find_bothVersions_isTheOwnGroupOrTheRootOfAContainer() throws IOException {
        Path own = directory.resolve("cgroup");
        Path mounts = directory.resolve("fs");
        Files.writeString(own, "9:name=systemd:/\n4:cpu,memory:/pods/a\n0::/\n");
        assertThat(MemoryKills.find(own, mounts)).isNull();
        Path root = counter(mounts.resolve("memory/memory.oom_control"), 0);
        assertThat(MemoryKills.find(own, mounts)).isEqualTo(root);
        Path group = counter(mounts.resolve("memory/pods/a/memory.oom_control"), 0);
        assertThat(MemoryKills.find(own, mounts)).isEqualTo(group);
        Files.writeString(own, "0::/user.slice/x\n");
        Path unified = counter(mounts.resolve("user.slice/x/memory.events"), 0);
        assertThat(MemoryKills.find(own, mounts)).isEqualTo(unified);
    }
}

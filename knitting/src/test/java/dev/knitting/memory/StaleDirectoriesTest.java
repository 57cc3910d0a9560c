package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host and all its workers left that were killed at once. */
class StaleDirectoriesTest {
    @TempDir
    Path parent;

    private Path directory(long pid, long token) throws IOException {
        Path directory = parent.resolve(StaleDirectories.name(new ProcessIdentity(pid, token), 12345));
        Files.createDirectory(directory);
        Files.writeString(directory.resolve("worker.args"), "-cp");
        return directory;
    }

    @Test
    void ofADeadOwner_isRemovedWithItsFiles() throws IOException {
        Path dead = directory(1 << 22 | 5, 77);
        StaleDirectories.own(dead).close();

        assertThat(StaleDirectories.removeIn(parent)).isEqualTo(1);
        assertThat(dead).doesNotExist();
    }

    @Test
    void ofALivingOwner_orOneThatIsNotKnown_stays() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        StaleDirectories.own(directory(self.pid(), self.startToken())).close();
        StaleDirectories.own(directory(1 << 22 | 5, 0)).close();
        Files.createDirectory(parent.resolve("knit-of-somebody-else"));
        Files.createDirectory(parent.resolve("knit-4-x"));

        assertThat(StaleDirectories.removeIn(parent)).isZero();
    }

    @Test
    void ofAnOwnerInAnotherNamespace_whoHoldsTheLock_stays() throws Exception {
        Path directory = directory(1 << 22 | 5, 77);
        try (FileChannel channel = StaleDirectories.own(directory)) {
            assertThat(channel.isOpen()).isTrue();
            assertThat(StaleDirectories.removeIn(parent)).isZero();
        }
        // In another process, as it would be.
        try (ChildJvm owner = ChildJvm.start("lock", directory.resolve("owner").toString())) {
            assertThat(owner.line()).isEqualTo("locked=true");
            assertThat(StaleDirectories.removeIn(parent)).isZero();
        }
        assertThat(StaleDirectories.removeIn(parent)).isEqualTo(1);
    }

    @Test
    void ofADeadOwner_withoutTheMark_stays() throws IOException {
        directory(1 << 22 | 5, 77);

        assertThat(StaleDirectories.removeIn(parent)).isZero();
    }
}

package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StaleFilesTest {
    private static final String RANDOM = "0123456789abcdef0123456789abcdef";

    /** Larger than any process id that Linux gives. */
    private static final long NO_PID = 1L << 40;

    @TempDir
    private Path directory;

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private Path file(long pid, long start) throws IOException {
        return Files.createFile(directory.resolve("knitting-" + pid + "-" + start + "-" + RANDOM));
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMED", "PORTABLE"})
    void removeIn_hostKilled_removesItsFileOnly(Memory kind) throws Exception {
        try (ChildJvm living = ChildJvm.start("create", kind.name(), directory.toString());
                ChildJvm killed = ChildJvm.start("create", kind.name(), directory.toString());
                SharedSegment own = SharedSegment.create(kind, 4096, directory)) {
            String livingFile = String.valueOf(living.line());
            String killedFile = String.valueOf(killed.line());
            assertThat(StaleFiles.removeIn(directory)).isZero();
            assertThat(files()).hasSize(3);

            killed.kill();

            assertThat(StaleFiles.removeIn(directory)).isEqualTo(1);
            assertThat(files())
                    .hasSize(2)
                    .noneMatch(file -> killedFile.endsWith(file.toString()))
                    .anyMatch(file -> livingFile.endsWith(file.toString()))
                    .anyMatch(file -> own.handover().argument().endsWith(file.toString()));
        }
    }

    @Test
    void removeIn_hostKilledWhileWorkerHoldsTheMapping_removesName() throws Exception {
        try (ChildJvm host = ChildJvm.start("create", "NAMED", directory.toString())) {
            try (SharedSegment worker = SharedSegment.attach(String.valueOf(host.line()))) {
                host.kill();
                assertThat(StaleFiles.removeIn(directory)).isEqualTo(1);
                SharedWords.setIntRelease(worker.memory(), 0, 1); // still mapped
            }
        }
    }

    @Test
    void removeIn_pidIsUsedAgainByAnotherProcess_removes() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        file(self.pid(), self.startToken() - 2);

        assertThat(StaleFiles.removeIn(directory)).isEqualTo(1);
    }

    @Test
    void removeIn_ownerLooksDeadButHoldsItsLock_keeps() throws Exception {
        Path file = file(NO_PID, 3); // as a host in another pid namespace looks
        try (ChildJvm owner = ChildJvm.start("lock", file.toString())) {
            assertThat(owner.line()).isEqualTo("locked=true");
            assertThat(StaleFiles.removeIn(directory)).isZero();
            assertThat(file).exists();

            owner.kill();

            assertThat(StaleFiles.removeIn(directory)).isEqualTo(1);
        }
    }

    @Test
    void removeIn_ownerWithUnknownStart_keeps() throws IOException {
        file(NO_PID, 0);
        assertThat(StaleFiles.removeIn(directory)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "knitting-",
                "knitting-notes.txt",
                "knitting-1099511627776-3-short",
                "knitting-1099511627776-3-" + RANDOM + "-more",
                "knitting-+1099511627776-3-" + RANDOM,
                "knitting-01099511627776-3-" + RANDOM,
                "other-1099511627776-3-" + RANDOM
            })
    void removeIn_foreignName_keeps(String name) throws IOException {
        Files.createFile(directory.resolve(name));
        assertThat(StaleFiles.removeIn(directory)).isZero();
        assertThat(files()).hasSize(1);
    }

    @Test
    void removeIn_linkWithOurName_keepsItAndItsTarget() throws IOException {
        Path target = Files.createFile(directory.resolve("precious"));
        Files.createSymbolicLink(directory.resolve("knitting-" + NO_PID + "-3-" + RANDOM), target);
        assertThat(StaleFiles.removeIn(directory)).isZero();
        assertThat(target).exists();
    }

    @Test
    void removeIn_severalCleanersAtOnce_eachFileIsRemovedOnce() throws Exception {
        int files = 200;
        for (int i = 0; i < files; i++) {
            file(NO_PID + i, 3);
        }
        Callable<Integer> cleaner = () -> StaleFiles.removeIn(directory);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            int removed = 0;
            for (Future<Integer> future : threads.invokeAll(List.of(cleaner, cleaner, cleaner, cleaner))) {
                removed += future.get();
            }
            assertThat(removed).isEqualTo(files);
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void removeIn_missingDirectory_doesNothing() {
        assertThat(StaleFiles.removeIn(directory.resolve("missing"))).isZero();
    }
}

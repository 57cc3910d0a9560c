package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class SharedSegmentTest {
    private static final long LENGTH = 1 << 20;

    @TempDir
    private Path directory;

    private SharedSegment create(Memory kind, long length) {
        assumeTrue(kind != Memory.INHERITED || NativeAccess.enabled(), "no native access");
        return SharedSegment.create(kind, length, directory);
    }

    /** A second mapping in this process. */
    private static MemorySegment secondMapping(SharedSegment segment) throws IOException {
        return segment instanceof InheritedSegment inherited
                ? MappedFile.attach("/proc/self/fd/" + inherited.descriptor()).memory()
                : SharedSegment.attach(segment.handover().argument()).memory();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void memory_twoMappings_shareBytesAtBothEnds(Memory kind) throws IOException {
        try (SharedSegment segment = create(kind, LENGTH)) {
            MemorySegment other = secondMapping(segment);

            SharedWords.setLongRelease(segment.memory(), 0, 42);
            SharedWords.setLongRelease(other, LENGTH - 8, 43);

            assertThat(SharedWords.getLongAcquire(other, 0)).isEqualTo(42);
            assertThat(SharedWords.getLongAcquire(segment.memory(), LENGTH - 8)).isEqualTo(43);
            assertThat(other.byteSize()).isEqualTo(LENGTH).isEqualTo(segment.length());
            assertThat(segment.kind()).isEqualTo(kind);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void attach_otherProcess_seesAndAnswers(Memory kind) throws Exception {
        try (SharedSegment segment = create(kind, LENGTH)) {
            SharedWords.setLongRelease(segment.memory(), MemoryChild.QUESTION_OFFSET, 41);

            try (ChildJvm child = ChildJvm.attach("answer", segment)) {
                assertThat(child.line()).isEqualTo("length=" + LENGTH + " kind=" + kind);
            }

            assertThat(SharedWords.getLongAcquire(segment.memory(), MemoryChild.ANSWER_OFFSET))
                    .isEqualTo(42);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void attach_twiceFromOneHandover_bothSee(Memory kind) throws Exception {
        try (SharedSegment segment = create(kind, LENGTH)) {
            for (int start = 0; start < 2; start++) {
                SharedWords.setLongRelease(segment.memory(), MemoryChild.QUESTION_OFFSET, start);
                try (ChildJvm child = ChildJvm.attach("answer", segment)) {
                    assertThat(child.line()).startsWith("length=");
                }
                assertThat(SharedWords.getLongAcquire(segment.memory(), MemoryChild.ANSWER_OFFSET))
                        .isEqualTo(start + 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void reserve_freshRange_leavesNeighboursAlone(Memory kind) {
        try (SharedSegment segment = create(kind, LENGTH)) {
            MemorySegment memory = segment.memory();
            memory.fill((byte) 7);

            segment.reserve(4097, 200_001);

            assertThat(memory.get(ValueLayout.JAVA_BYTE, 4096)).isEqualTo((byte) 7);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 4097)).isZero();
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 4097 + 200_000)).isZero();
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 4097 + 200_001)).isEqualTo((byte) 7);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void reserve_rangeOutside_throws(Memory kind) {
        try (SharedSegment segment = create(kind, LENGTH)) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> segment.reserve(LENGTH - 10, 11));
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> segment.reserve(-1, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void createReserveAttach_callerInterrupted_workAndKeepTheInterrupt(Memory kind) throws IOException {
        Thread.currentThread().interrupt();
        try (SharedSegment segment = create(kind, LENGTH)) {
            segment.reserve(0, 4096);
            MemorySegment other = secondMapping(segment);
            assertThat(Thread.interrupted()).isTrue();

            segment.reserve(4096, 4096); // the file is still open
            SharedWords.setIntRelease(segment.memory(), 4096, 5);
            assertThat(SharedWords.getIntAcquire(other, 4096)).isEqualTo(5);
        } finally {
            Thread.interrupted();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMED", "PORTABLE"})
    void reserve_fileSystemFull_throwsAndNamesWhatToChange(Memory kind) throws Exception {
        Path small = Files.createDirectory(directory.resolve("small"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=1m", "knitting-test", small.toString()), "cannot mount");
        try (SharedSegment segment = SharedSegment.create(kind, 16 << 20, small)) {
            segment.reserve(0, 512 * 1024);

            assertThatThrownBy(() -> segment.reserve(512 * 1024, 8 << 20))
                    .isInstanceOfSatisfying(
                            KnittingException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_SHARED_MEMORY))
                    .hasMessageContainingAll(
                            "bytes=" + (8 << 20), "kind=" + kind, "directory=" + small, "option=memoryDirectory");

            try (SharedSegment worker = SharedSegment.attach(segment.handover().argument())) {
                assertThatThrownBy(() -> worker.reserve(8 << 20, 2 << 20))
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_SHARED_MEMORY))
                        .hasMessageContaining("directory=" + small);
            }
            SharedWords.setIntRelease(segment.memory(), 512 * 1024 - 4, 1); // what was reserved stays usable
            assertThat(SharedWords.getIntAcquire(segment.memory(), 512 * 1024 - 4))
                    .isEqualTo(1);
        } finally {
            assertThat(run("umount", small.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false; // no such program
        }
    }

    @Test
    void reserve_inherited_commitsExactlyTheRange() throws Exception {
        try (SharedSegment segment = create(Memory.INHERITED, 1L << 34)) {
            assertThat(committedBytes(segment)).isZero();
            segment.reserve(1 << 20, 128 * 1024);
            assertThat(committedBytes(segment)).isEqualTo(128 * 1024);
            assertThat(segment.length()).isEqualTo(1L << 34);
        }
    }

    private static long committedBytes(SharedSegment segment) throws IOException {
        String file = "/proc/" + ProcessHandle.current().pid() + "/fd/" + ((InheritedSegment) segment).descriptor();
        Process stat = new ProcessBuilder("stat", "--dereference", "--format=%b", file).start();
        String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Long.parseLong(blocks.strip()) * 512;
    }

    @Test
    void create_inherited_lengthCannotBeChanged() throws IOException {
        try (SharedSegment segment = create(Memory.INHERITED, LENGTH)) {
            int descriptor = ((InheritedSegment) segment).descriptor();

            assertThat(LinuxCalls.truncate(descriptor, LENGTH / 2)).isNegative();
            assertThat(LinuxCalls.truncate(descriptor, LENGTH * 2)).isNegative();
            assertThat(LinuxCalls.addSeals(descriptor, 8)).isNegative(); // F_SEAL_WRITE: no more seals
            String path = String.valueOf(segment.handover().standardInput());
            try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
                assertThatThrownBy(() -> file.setLength(0)).isInstanceOf(IOException.class);
            }
            assertThat(Files.size(Path.of(path))).isEqualTo(LENGTH);
        }
    }

    @Test
    void handover_inherited_childStdinIsEmptyAndThenDevNull() throws Exception {
        try (SharedSegment segment = create(Memory.INHERITED, LENGTH);
                ChildJvm child = ChildJvm.attach("stdin", segment)) {
            assertThat(child.rest()).isEqualTo("read=-1\nreplaced=true\ndescriptor=/dev/null\n");
            assertThat(SharedWords.getIntAcquire(segment.memory(), MemoryChild.ANSWER_OFFSET))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMED", "PORTABLE"})
    void create_file_onlyOwnerMayOpen(Memory kind) throws IOException {
        try (SharedSegment segment = create(kind, LENGTH)) {
            assertThat(files()).hasSize(1);
            Path file = files().getFirst();
            assumeTrue(file.getFileSystem().supportedFileAttributeViews().contains("posix"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(segment.handover().argument())
                    .endsWith(file.toAbsolutePath().toString());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMED", "PORTABLE"})
    void unlink_afterAttach_nameGoneMemoryStays(Memory kind) throws IOException {
        try (SharedSegment segment = create(kind, LENGTH)) {
            MemorySegment other = secondMapping(segment);
            String argument = segment.handover().argument();

            segment.unlink();
            segment.unlink();

            assertThat(files()).isEmpty();
            SharedWords.setIntRelease(other, 0, 9);
            assertThat(SharedWords.getIntAcquire(segment.memory(), 0)).isEqualTo(9);
            assertThatThrownBy(() -> SharedSegment.attach(argument))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED))
                    .hasMessageContaining(argument);
            assertThat(files()).as("a late attach creates nothing").isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMED", "PORTABLE"})
    void unlink_byWorkerOfDeadHost_removesName(Memory kind) throws IOException {
        try (SharedSegment segment = create(kind, LENGTH)) {
            SharedSegment worker = SharedSegment.attach(segment.handover().argument());

            worker.unlink();

            assertThat(files()).isEmpty();
            worker.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void close_twice_unmapsOnceAndLeavesNothing(Memory kind) throws IOException {
        SharedSegment segment = create(kind, LENGTH);
        segment.close();
        segment.close();

        assertThat(files()).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> SharedWords.getIntPlain(segment.memory(), 0));
        assertThatIllegalStateException().isThrownBy(segment::handover);
    }

    @Test
    void close_inherited_releasesDescriptors() throws IOException {
        create(Memory.INHERITED, LENGTH).close(); // loads everything that opens files on its own
        long before = openDescriptors();
        for (int i = 0; i < 10; i++) {
            create(Memory.INHERITED, LENGTH).close();
        }
        assertThat(openDescriptors()).isLessThan(before + 10);
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        }
    }

    @Test
    void reserve_inWorkerInterruptedAndUnlinked_zerosTheRangeTwice() {
        try (SharedSegment segment = create(Memory.PORTABLE, LENGTH);
                SharedSegment worker = SharedSegment.attach(segment.handover().argument())) {
            segment.unlink();
            segment.memory().fill((byte) 7);

            Thread.currentThread().interrupt();
            worker.reserve(4097, 100_000);
            worker.reserve(4097 + 100_000, 100_001); // the interrupt has not closed the file
            assertThat(Thread.interrupted()).isTrue();

            assertThat(segment.memory().asSlice(4097, 200_001).mismatch(MemorySegment.ofArray(new byte[200_001])))
                    .isEqualTo(-1);
            assertThat(segment.memory().get(ValueLayout.JAVA_BYTE, 4096)).isEqualTo((byte) 7);
            assertThat(segment.memory().get(ValueLayout.JAVA_BYTE, 4097 + 200_001))
                    .isEqualTo((byte) 7);
        }
    }

    @Test
    void handover_inWorker_isRefused() {
        try (SharedSegment segment = create(Memory.PORTABLE, LENGTH);
                SharedSegment worker = SharedSegment.attach(segment.handover().argument())) {
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(worker::handover);
        }
    }

    @Test
    void create_badArguments_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SharedSegment.create(Memory.AUTOMATIC, 1, null))
                .withMessageContaining("AUTOMATIC");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SharedSegment.create(Memory.PORTABLE, 0, null))
                .withMessageContaining("length=0");
    }

    @Test
    void create_directoryMissing_namesIt() {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> SharedSegment.create(Memory.NAMED, 1, missing))
                .isInstanceOf(KnittingException.class)
                .hasMessageContainingAll("directory=" + missing, "option=memoryDirectory");
    }

    @Test
    void attach_unknownKind_listsTheValidOnes() {
        assertThatThrownBy(() -> SharedSegment.attach("carrier-pigeon:7"))
                .isInstanceOf(KnittingException.class)
                .hasMessageContainingAll("carrier-pigeon:7", "inherited", "named:", "portable:");
    }

    @Test
    void resolve_inheritedWithoutNativeAccess_namesTheFlag() throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of(), null, "resolve", "INHERITED")) {
            assertThat(child.rest())
                    .startsWith("UNSUPPORTED_PLATFORM")
                    .contains("flag=--enable-native-access=ALL-UNNAMED", "option=memory");
        }
    }

    @Test
    void resolve_automaticWithoutNativeAccess_isPortable() throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of("-Dknitting.native=false"), null, "resolve", "AUTOMATIC")) {
            assertThat(child.rest()).isEqualTo("PORTABLE\n");
        }
    }

    @Test
    void resolve_automatic_followsNativeAccess() {
        Memory expected = NativeAccess.enabled() ? Memory.INHERITED : Memory.PORTABLE;
        assertThat(SharedSegment.resolve(Memory.AUTOMATIC)).isEqualTo(expected);
        assertThat(SharedSegment.resolve(Memory.NAMED)).isEqualTo(Memory.NAMED);
    }
}

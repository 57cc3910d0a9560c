package dev.knitting.memory;

import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Main class of the second JVM of {@link ChildJvm}: the first argument says what to do. */
final class MemoryChild {
    /** Where host and child exchange values in these tests. */
    static final long QUESTION_OFFSET = 8192;

    static final long ANSWER_OFFSET = 8192 + 128;
    static final long FUTEX_OFFSET = 8192 + 256;

    private static final long WAIT_NANOS = 30_000_000_000L;

    private MemoryChild() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        switch (arguments[0]) {
            case "answer" -> answer(SharedSegment.attach(arguments[1]));
            case "wait" -> waitOnWord(SharedSegment.attach(arguments[1]));
            case "wake" -> wakeWaiter(SharedSegment.attach(arguments[1]));
            case "stdin" -> showStandardInput(SharedSegment.attach(arguments[1]));
            case "header" -> readHeader(SharedSegment.attach(arguments[1]));
            case "create" -> createAndStay(Memory.valueOf(arguments[1]), Path.of(arguments[2]));
            case "lock" -> lockAndStay(Path.of(arguments[1]));
            case "native" -> System.out.println("enabled=" + NativeAccess.enabled());
            case "hint" -> System.out.println("hinted=" + NativeAccess.enabledOrHint() + NativeAccess.enabledOrHint());
            case "resolve" -> resolve(Memory.valueOf(arguments[1]));
            case "stay" -> stay("ready");
            case "pipe" -> endWithTheReader();
            case "parent" -> startChildAndStay();
            case "bound" -> stay("pid=" + ProcessHandle.current().pid() + " bound=" + ParentProcess.dieWithCreator());
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void answer(SharedSegment segment) {
        long question = SharedWords.getLongAcquire(segment.memory(), QUESTION_OFFSET);
        SharedWords.setLongRelease(segment.memory(), ANSWER_OFFSET, question + 1);
        System.out.println("length=" + segment.length() + " kind=" + segment.kind());
    }

    private static void waitOnWord(SharedSegment segment) {
        System.out.println(Futex.waitOn(segment.memory(), FUTEX_OFFSET, 7, WAIT_NANOS));
    }

    private static void wakeWaiter(SharedSegment segment) {
        while (Futex.wake(segment.memory(), FUTEX_OFFSET, 1) == 0) {
            Thread.onSpinWait();
        }
        System.out.println("woke");
    }

    private static void showStandardInput(SharedSegment segment) throws IOException {
        System.out.println("read=" + System.in.read());
        System.out.println("replaced=" + StandardInput.replaceDescriptor());
        System.out.println("descriptor=" + Path.of("/proc/self/fd/0").toRealPath());
        SharedWords.setIntRelease(segment.memory(), ANSWER_OFFSET, 1); // the mapping is still there
    }

    private static void readHeader(SharedSegment segment) {
        SegmentHeaderView header = SegmentHeaderView.attach(segment.memory());
        TaskTableReader tasks =
                new TaskTableReader(segment.memory(), header.taskTableOffsetPlain(), header.taskTableLengthPlain());
        HostLiveness host = HostLiveness.of(header.hostPidPlain(), header.hostStartPlain());
        System.out.write('0' + tasks.read(0).length);
        System.out.write(host.isAlive() ? '+' : '-');
        System.out.flush();
    }

    private static void createAndStay(Memory kind, Path directory) throws InterruptedException {
        try (SharedSegment segment = SharedSegment.create(kind, 1 << 20, directory)) {
            stay(segment.handover().argument());
        }
    }

    private static void lockAndStay(Path file) throws IOException, InterruptedException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(StaleFiles.LIFE_LOCK_POSITION, 1, false)) {
            stay("locked=" + (lock != null));
        }
    }

    private static void resolve(Memory kind) {
        try {
            System.out.println(SharedSegment.resolve(kind));
        } catch (KnittingException e) {
            System.out.println(e.code() + " " + e.getMessage());
        }
    }

    private static void startChildAndStay() throws InterruptedException {
        try (ChildJvm child = ChildJvm.start("bound")) {
            stay(String.valueOf(child.line()));
        }
    }

    private static void endWithTheReader() {
        OutputPipe pipe = OutputPipe.ofThisProcess();
        System.out.println("open=" + pipe.isOpen() + " broken=" + pipe.awaitBroken(0));
        System.out.close(); // the watch has a descriptor of its own
        boolean broken = pipe.awaitBroken(WAIT_NANOS);
        boolean again = pipe.awaitBroken(0);
        System.exit(broken && !again && !pipe.isOpen() ? 42 : 1);
    }

    private static void stay(String line) throws InterruptedException {
        System.out.println(line);
        Thread.sleep(Long.MAX_VALUE); // until killed
    }
}

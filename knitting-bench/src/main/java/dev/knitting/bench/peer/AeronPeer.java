package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Aeron over shared memory to a child JVM, the media driver in this one. Two forms: both sides poll all the time, which
 * needs a core each; or both back off, from spinning over yielding to sleeping for up to a millisecond.
 *
 * <p>Bounds checks are off, logs are touched beforehand. Nothing but an occasional look of the driver and of the
 * clients' conductors competes for the two cores.
 */
final class AeronPeer implements Peer {
    private static final String NO_BOUNDS_CHECKS = "agrona.disable.bounds.checks";
    private static final List<String> JVM_OPTIONS = List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-D" + NO_BOUNDS_CHECKS + "=true");
    private static final Path MEMORY = Path.of("/dev/shm");
    /** Payloads from here on leave room in the caches when their answers are taken as they come. */
    private static final int LARGE_BYTES = 4 << 10;

    /** Where others use the cores too, touching the logs takes a while. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    static {
        System.setProperty(NO_BOUNDS_CHECKS, "true"); // before Agrona's buffers look
    }

    private final String name;
    private final boolean isSpinning;
    private final MediaDriver driver;
    private final Aeron aeron;
    private final AeronLink link;
    private @Nullable ChildJvm child;
    private CompletableFuture<Void> gone = CompletableFuture.completedFuture(null);
    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(1 << 16);
    /** Another one: answers are read while a call waits for room. */
    private final ByteBuffer incoming = ByteBuffer.allocateDirect(1 << 16);

    private int received;
    private long result;
    private Reader reader = (index, buffer, offset, length) -> {};

    private AeronPeer(String name, boolean isSpinning) throws IOException {
        this.name = name;
        this.isSpinning = isSpinning;
        driver = MediaDriver.launch(driverContext());
        aeron = Aeron.connect(context(driver.aeronDirectoryName()));
        link = new AeronLink(aeron, AeronLink.CALLS, AeronLink.REPLIES, isSpinning, this::receive);
    }

    private AeronPeer start() throws IOException {
        try {
            ChildJvm started = ChildJvm.start(
                    JVM_OPTIONS, AeronServer.class, driver.aeronDirectoryName(), Boolean.toString(isSpinning));
            child = started;
            gone = started.process().onExit().thenRun(link::gone);
            started.readLine();
            return this;
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    static Peer spin() throws IOException {
        return new AeronPeer("aeron-ipc-spin", true).start();
    }

    static Peer backoff() throws IOException {
        return new AeronPeer("aeron-ipc-backoff", false).start();
    }

    /** Why this JVM cannot run it, or null. */
    static @Nullable String obstacle() {
        return Object.class.getModule().isOpen("jdk.internal.misc", AeronPeer.class.getModule())
                ? null
                : "the JVM runs without " + JVM_OPTIONS.getFirst();
    }

    private static MediaDriver.Context driverContext() throws IOException {
        Path directory = Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "knitting-aeron")
                : Files.createTempDirectory("knitting-aeron");
        return new MediaDriver.Context()
                .aeronDirectoryName(directory.toString())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
                .ipcTermBufferLength(AeronLink.TERM_BYTES)
                .clientLivenessTimeoutNs(TIMEOUT.toNanos())
                .publicationUnblockTimeoutNs(2 * TIMEOUT.toNanos())
                .termBufferSparseFile(false);
    }

    /** A client, either side: its housekeeping thread sleeps most of the time. */
    static Aeron.Context context(String directory) {
        return new Aeron.Context()
                .aeronDirectoryName(directory)
                .idleStrategy(new SleepingMillisIdleStrategy(16))
                .driverTimeoutMs(TIMEOUT.toMillis())
                .preTouchMappedMemory(true);
    }

    @Override
    public long inc(long value) throws IOException {
        reader = (index, buffer, offset, length) -> result = buffer.getLong(offset);
        received = 0;
        link.sendLong(AeronServer.INC, value);
        await(1);
        return result;
    }

    @Override
    public void incAll(long[] values, long[] results) throws IOException {
        begin((index, buffer, offset, length) -> results[index] = buffer.getLong(offset));
        for (long value : values) {
            link.sendLong(AeronServer.INC, value);
        }
        await(values.length);
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws IOException {
        begin((index, buffer, offset, length) -> results[index] = AeronServer.bytes(buffer, offset, length));
        for (byte[] value : values) {
            send(AeronServer.BYTES, value);
        }
        await(values.length);
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws IOException {
        begin((index, buffer, offset, length) ->
                results[index] = new String(AeronServer.bytes(buffer, offset, length), UTF_8));
        for (String value : values) {
            send(AeronServer.STRING, value.getBytes(UTF_8));
        }
        await(values.length);
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws IOException {
        begin((index, buffer, offset, length) ->
                results[index] = AeronServer.readOrder(incoming, buffer, offset, length));
        for (Order value : values) {
            link.send(AeronServer.ORDER, AeronServer.writeOrder(outgoing, payload, value), outgoing.position());
        }
        await(values.length);
    }

    private void send(int operation, byte[] bytes) throws IOException {
        payload.wrap(bytes);
        link.send(operation, payload, bytes.length);
        if (bytes.length >= LARGE_BYTES) {
            link.poll();
        }
    }

    private void begin(Reader batchReader) {
        reader = batchReader;
        received = 0;
    }

    private void await(int count) throws IOException {
        while (received < count) {
            link.pollOrIdle();
        }
    }

    /** Answers come in the order of the calls. */
    private void receive(DirectBuffer buffer, int offset, int length, Header header) {
        reader.read(received++, buffer, offset + AeronLink.HEADER_BYTES, length - AeronLink.HEADER_BYTES);
    }

    private interface Reader {
        void read(int index, DirectBuffer buffer, int offset, int length);
    }

    /** A polling child is told to sleep; one that backs off does so by itself. */
    @Override
    public void pause() {
        if (isSpinning) {
            try {
                link.sendLong(AeronServer.PAUSE, 0);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Kind kind() {
        return Kind.PROCESS;
    }

    /** The child first: it would report that its driver is gone. */
    @Override
    public void close() throws IOException {
        if (child != null) {
            child.close();
        }
        gone.join();
        aeron.close();
        driver.close();
    }
}

package dev.knitting.doorbell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.mailbox.BellWord;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rings by socket. Sleeps are a minute long, so that only a ring ends them in time. */
class SocketDoorTest {
    private static final long HOST_WORD = 0;
    private static final long WORKER_WORD = 128;
    private static final long MINUTE = 60_000_000_000L;

    private final MemorySegment memory = Arena.ofShared().allocate(256, 64);
    private SocketSleeper host;
    private SocketDoor door;

    @BeforeEach
    void open() throws IOException {
        host = new SocketSleeper(new MemorySegment[] {memory}, new long[] {HOST_WORD});
        door = SocketDoor.open(host);
    }

    @AfterEach
    void close() {
        door.close();
        host.close();
        assertThat(door.path()).doesNotExist();
        assertThat(door.path().getParent()).doesNotExist();
    }

    private SocketSleeper worker() throws IOException {
        return new SocketSleeper(new MemorySegment[] {memory}, new long[] {WORKER_WORD});
    }

    private static CompletableFuture<Void> sleeping(SocketSleeper sleeper) {
        CompletableFuture<Void> awake = new CompletableFuture<>();
        sleeper.arm();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                sleeper.sleep(MINUTE);
                awake.complete(null);
            } catch (Throwable e) {
                awake.completeExceptionally(e);
            }
        });
        return awake;
    }

    private Bell hostBell(BellRinger ringer) {
        return new Bell(memory, HOST_WORD, ringer, false);
    }

    private Bell workerBell() {
        return new Bell(memory, WORKER_WORD, door.ringerFor(0), false);
    }

    /**
     * A worker may sleep before the host has accepted its connection; what was rung meanwhile went nowhere. So the door
     * rings once when it has accepted: the worker looks again.
     */
    @Test
    void accept_ringsOnce_soThatEarlierRingsAreNotLost() throws Exception {
        workerBell().published(); // nobody is there
        try (var channel = SocketDoor.connect(door.path().toString(), 0)) {
            awaitRing(channel);
        }
    }

    /** One byte, as the sleeper would read it: the door has accepted. */
    private static void awaitRing(SocketChannel channel) throws IOException {
        long end = System.nanoTime() + 30_000_000_000L;
        ByteBuffer ring = ByteBuffer.allocate(1);
        while (channel.read(ring) == 0) {
            assertThat(System.nanoTime() - end).as("rung in time").isNegative();
            Thread.yield();
        }
        assertThat(ring.position()).isEqualTo(1);
    }

    @Test
    void ring_bothWays_wakesTheSleeper() throws Exception {
        try (SocketSleeper worker = worker();
                var channel = SocketDoor.connect(door.path().toString(), 0)) {
            awaitRing(channel);
            worker.add(channel);
            sleeping(worker).get(30, TimeUnit.SECONDS); // what is added wakes
            for (int i = 0; i < 50; i++) {
                CompletableFuture<Void> workerAwake = sleeping(worker);
                workerBell().published();
                workerAwake.get(30, TimeUnit.SECONDS);
                assertThat(BellWord.isArmedOpaque(memory, WORKER_WORD)).isFalse();
            }
            sleeping(host).get(30, TimeUnit.SECONDS);
            for (int i = 0; i < 50; i++) {
                CompletableFuture<Void> hostAwake = sleeping(host);
                hostBell(new SocketRinger(channel)).published();
                hostAwake.get(30, TimeUnit.SECONDS);
            }
        }
    }

    /** Workers that connect while the host sleeps, as a replacement does: the sleep that runs must hear them. */
    @Test
    void ring_byAWorkerThatConnectedWhileTheHostSlept_wakesTheHost() throws Exception {
        for (int i = 0; i < 200; i++) {
            AtomicBoolean published = new AtomicBoolean();
            CompletableFuture<Void> told = new CompletableFuture<>();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    host.arm();
                    while (!published.get()) { // armed -> look again -> sleep
                        host.sleep(MINUTE);
                        host.arm();
                    }
                    told.complete(null);
                } catch (Throwable e) {
                    told.completeExceptionally(e);
                }
            });
            Bell bell;
            try (var channel = SocketDoor.connect(door.path().toString(), i)) {
                awaitRing(channel);
                bell = hostBell(new SocketRinger(channel));
                published.set(true);
                bell.published();
                told.get(10, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void connect_again_takesThePlaceOfTheDeadWorker() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (SocketSleeper worker = worker();
                    var channel = SocketDoor.connect(door.path().toString(), 0)) {
                awaitRing(channel);
                worker.add(channel);
                sleeping(worker).get(30, TimeUnit.SECONDS); // what is added wakes
                CompletableFuture<Void> awake = sleeping(worker);
                workerBell().published();
                awake.get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void open_makesADirectoryThatOnlyItsOwnerMayEnter() throws IOException {
        assertThat(Files.getPosixFilePermissions(door.path().getParent()))
                .isEqualTo(java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
    }
}

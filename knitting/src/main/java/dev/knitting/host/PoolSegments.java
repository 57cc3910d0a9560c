package dev.knitting.host;

import dev.knitting.Discipline;
import dev.knitting.PoolOptions;
import dev.knitting.boot.SegmentMap;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.codec.PayloadArena;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.memory.ProcessIdentity;
import dev.knitting.memory.SegmentHeader;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import dev.knitting.memory.TaskTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one pool: one segment for all workers, or one each. Every segment holds the whole task table, so that its
 * workers need no other.
 *
 * <p>Announcing is guarded by this object; the rest is set up once.
 */
final class PoolSegments implements AutoCloseable {
    private static final class Part implements AutoCloseable {
        final SharedSegment segment;
        final SegmentHeaderView header;
        final TaskTable boot;
        final TaskTable tasks;
        final HostBuffers buffers;

        Part(SharedSegment segment, SegmentHeader header, byte[] config, long buffersOffset) {
            this.segment = segment;
            this.buffers = new HostBuffers(segment, buffersOffset, segment.length() - buffersOffset);
            this.header = SegmentHeaderView.create(segment, header);
            this.boot = TaskTable.create(segment, SegmentMap.BOOT_TABLE_OFFSET, SegmentMap.BOOT_TABLE_BYTES);
            boot.append(config);
            this.tasks = TaskTable.create(segment, SegmentMap.TASK_TABLE_OFFSET, SegmentMap.TASK_TABLE_BYTES);
        }

        @Override
        public void close() {
            if (buffers.close()) {
                segment.close();
                return;
            }
            segment.unlink(); // a mapping too much is better than a thread of the user that writes where nothing is
            System.getLogger("dev.knitting")
                    .log(System.Logger.Level.WARNING, "a shared buffer is in an I/O call: its memory stays mapped");
        }
    }

    private final PoolOptions options;
    private final boolean separate;
    private final long arenaBytes;
    private final long laneStride;
    private final SegmentHeader header;
    /** Bytes of the mailbox that all workers serve; 0 if each has its own. */
    private final long sharedBytes;

    private final Part[] parts;
    /** Of the watcher's thread. */
    private long beats;

    PoolSegments(PoolOptions options, WorkerConfig config, int flags, long epoch) {
        this.options = options;
        this.separate = options.segmentPerWorker();
        this.arenaBytes = config.arenaBytes();
        this.laneStride = LaneLayout.strideBytes(arenaBytes);
        int lanes = separate ? 1 : options.places();
        boolean stealing = options.isStealing();
        this.sharedBytes = stealing ? SharedMailboxLayout.bytes(arenaBytes) : 0;
        this.header = new SegmentHeader(
                stealing
                        ? number(options.tuning().dispatch().discipline())
                        : SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES,
                lanes,
                ProcessIdentity.current(),
                Runtime.getRuntime().availableProcessors(),
                flags,
                epoch,
                SegmentMap.TASK_TABLE_OFFSET,
                SegmentMap.TASK_TABLE_BYTES,
                SegmentMap.LANES_OFFSET,
                laneStride);
        this.parts = new Part[separate ? options.places() : 1];
        byte[] configBytes = config.toBytes();
        try {
            for (int i = 0; i < parts.length; i++) {
                parts[i] = create(header, lanes, configBytes);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Part create(SegmentHeader header, int lanes, byte[] config) {
        long buffersOffset = SegmentMap.LANES_OFFSET + lanes * laneStride + sharedBytes + 4095 & -4096L;
        SharedSegment segment = SharedSegment.create(
                SharedSegment.resolve(options.memory()),
                buffersOffset + options.payload().buffersBytes(),
                options.memoryDirectory());
        try {
            Part part = new Part(segment, header, config, buffersOffset);
            for (int lane = 0; lane < lanes; lane++) {
                segment.reserve(SegmentMap.LANES_OFFSET + lane * laneStride, LaneLayout.ARENAS_OFFSET);
            }
            if (sharedBytes > 0) {
                segment.reserve(part.header.sharedMailboxOffset(), SharedMailboxLayout.ARENA_OFFSET);
            }
            return part;
        } catch (RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    private static int number(Discipline discipline) {
        return switch (discipline) {
            case TICKET -> SegmentHeaderLayout.DISCIPLINE_TICKET;
            case DEKKER -> SegmentHeaderLayout.DISCIPLINE_DEKKER;
        };
    }

    /** The mailbox that all workers serve, or null if each has its own. */
    @Nullable
    SharedMailbox sharedMailbox(boolean asymmetric, boolean byReference) {
        if (sharedBytes == 0) {
            return null;
        }
        SharedSegment segment = parts[0].segment;
        long base = parts[0].header.sharedMailboxOffset();
        return new SharedMailbox(
                segment.window(base, (int) SharedMailboxLayout.ARENA_OFFSET),
                new PayloadArena(segment, base + SharedMailboxLayout.ARENA_OFFSET, arenaBytes),
                arenaBytes,
                asymmetric,
                byReference,
                options.places(),
                options.tuning().dispatch().discipline());
    }

    /** The segment that a worker maps. */
    SharedSegment segmentOf(int worker) {
        return parts[separate ? worker : 0].segment;
    }

    /** The shared buffers that a worker can have. */
    HostBuffers buffersOf(int worker) {
        return parts[separate ? worker : 0].buffers;
    }

    /** The shared buffers that every worker can have, or null if there are none. */
    @Nullable
    HostBuffers buffersOfAll() {
        return parts.length == 1 ? parts[0].buffers : null;
    }

    /** Number of a worker's lane within its segment. */
    int laneNumberOf(int worker) {
        return separate ? 0 : worker;
    }

    /** Offset of a worker's lane in its segment. */
    long laneOffsetOf(int worker) {
        return SegmentMap.LANES_OFFSET + laneNumberOf(worker) * laneStride;
    }

    /** All segments. */
    List<SharedSegment> all() {
        List<SharedSegment> all = new ArrayList<>();
        for (Part part : parts) {
            all.add(part.segment);
        }
        return all;
    }

    /** What tools read: that the host is alive, and how many calls wait in it. One thread. */
    void beat(int queued) {
        beats++;
        for (Part part : parts) {
            part.header.queuedOpaque(queued);
            part.header.heartbeatOpaque(beats);
        }
    }

    /** Appends a task description to every table; the number it got. */
    synchronized int announce(byte[] description) {
        int id = -1;
        for (Part part : parts) {
            id = part.tasks.append(description);
        }
        return id;
    }

    /**
     * Before the next incarnation of a worker starts: writes again, from the host's own copies, what it reads first. The
     * last one may have written anything there.
     */
    synchronized void restore(int worker) {
        Part part = parts[separate ? worker : 0];
        part.header.restore(header);
        part.boot.restore();
        part.tasks.restore();
    }

    @Override
    public void close() {
        for (@Nullable Part part : parts) {
            if (part != null) {
                part.close();
            }
        }
    }
}

package dev.knitting.host;

import dev.knitting.PoolOptions;
import dev.knitting.boot.SegmentMap;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.mailbox.LaneLayout;
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

        Part(SharedSegment segment, SegmentHeader header, byte[] config) {
            this.segment = segment;
            this.header = SegmentHeaderView.create(segment, header);
            this.boot = TaskTable.create(segment, SegmentMap.BOOT_TABLE_OFFSET, SegmentMap.BOOT_TABLE_BYTES);
            boot.append(config);
            this.tasks = TaskTable.create(segment, SegmentMap.TASK_TABLE_OFFSET, SegmentMap.TASK_TABLE_BYTES);
        }

        @Override
        public void close() {
            segment.close();
        }
    }

    private final PoolOptions options;
    private final boolean separate;
    private final long arenaBytes;
    private final long laneStride;
    private final SegmentHeader header;
    private final Part[] parts;
    /** Of the watcher's thread. */
    private long beats;

    PoolSegments(PoolOptions options, WorkerConfig config, int flags, long epoch) {
        this.options = options;
        this.separate = options.segmentPerWorker();
        this.arenaBytes = config.arenaBytes();
        this.laneStride = LaneLayout.strideBytes(arenaBytes);
        int lanes = separate ? 1 : options.places();
        this.header = new SegmentHeader(
                SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES,
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
        SharedSegment segment = SharedSegment.create(
                SharedSegment.resolve(options.memory()),
                SegmentMap.LANES_OFFSET + lanes * laneStride,
                options.memoryDirectory());
        try {
            Part part = new Part(segment, header, config);
            for (int lane = 0; lane < lanes; lane++) {
                segment.reserve(SegmentMap.LANES_OFFSET + lane * laneStride, LaneLayout.ARENAS_OFFSET);
            }
            return part;
        } catch (RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    /** The segment that a worker maps. */
    SharedSegment segmentOf(int worker) {
        return parts[separate ? worker : 0].segment;
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

package dev.knitting.observe;

import dev.knitting.KnittingException;
import dev.knitting.boot.SegmentMap;
import dev.knitting.boot.TaskDescription;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.mailbox.BellWord;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.ObservedSegment;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.TaskTableReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns the segments of one host into its pools. One thread. */
final class PoolReader {
    /** Segments of one pool (one for each worker, say) share these. */
    private record Key(String name, long epoch) {}

    private final long pid;
    private final Map<Key, PoolSnapshot> pools = new LinkedHashMap<>();

    PoolReader(long pid) {
        this.pid = pid;
    }

    List<PoolSnapshot> pools() {
        return List.copyOf(pools.values());
    }

    /**
     * Reads a segment; one that this process only has as a worker is left out.
     *
     * @throws KnittingException if it makes no sense
     */
    void add(ObservedSegment segment) {
        SegmentHeaderView header = segment.header();
        if (!isHost(header.hostPidPlain())) {
            return;
        }
        TaskTableReader tasks = segment.table(header.taskTableOffsetPlain(), header.taskTableLengthPlain());
        Key key = new Key(nameOf(segment), header.epochPlain());
        PoolSnapshot before = pools.get(key);
        List<WorkerSnapshot> workers = new ArrayList<>(before == null ? List.of() : before.workers());
        for (int lane = 0; lane < header.laneCountPlain(); lane++) {
            long offset = header.firstLaneOffsetPlain() + lane * header.laneStridePlain();
            workers.add(worker(workers.size(), new LaneView(segment.memory(), offset), tasks));
        }
        pools.put(
                key,
                new PoolSnapshot(
                        pid,
                        key.name(),
                        header.heartbeatOpaque(),
                        header.queuedOpaque(),
                        tasks.countAcquire(),
                        workers));
    }

    /** The header holds the host's number in its own pid namespace. */
    private boolean isHost(long hostPid) {
        if (hostPid == pid) {
            return true;
        }
        try (var lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return lines.filter(line -> line.startsWith("NSpid:")).anyMatch(line -> line.endsWith("\t" + hostPid));
        } catch (IOException | UncheckedIOException e) {
            return false; // it has ended
        }
    }

    private static String nameOf(ObservedSegment segment) {
        byte[] config = segment.table(SegmentMap.BOOT_TABLE_OFFSET, SegmentMap.BOOT_TABLE_BYTES)
                .read(0);
        try {
            return WorkerConfig.fromBytes(config).pool();
        } catch (KnittingException e) {
            return "?"; // no configuration that this version writes
        }
    }

    private WorkerSnapshot worker(int index, LaneView lane, TaskTableReader tasks) {
        long entered = lane.retiredAcquire();
        return new WorkerSnapshot(
                index,
                lane.workerPidOpaque() < 0 ? pid : lane.workerPidOpaque(), // a thread of the host
                lane.incarnationPlain(),
                stateOf(lane.stateAcquire()),
                lane.workerBellOpaque() == BellWord.ARMED,
                waiting(lane, entered),
                running(lane, entered, tasks),
                entered,
                lane.counterOpaque(LaneLayout.FAILED_CALLS_OFFSET),
                lane.counterOpaque(LaneLayout.BYTES_IN_OFFSET),
                lane.counterOpaque(LaneLayout.BYTES_OUT_OFFSET),
                lane.counterOpaque(LaneLayout.BUSY_NANOS_OFFSET));
    }

    private static String stateOf(int state) {
        return switch (state) {
            case WorkerState.STARTING -> "STARTING";
            case WorkerState.ATTACHED -> "ATTACHED";
            case WorkerState.READY -> "READY";
            case WorkerState.STOPPED -> "STOPPED";
            case WorkerState.FAILED -> "FAILED";
            default -> "UNKNOWN";
        };
    }

    private static int waiting(LaneView lane, long entered) {
        return new MailboxReader(lane.window(), LaneLayout.SUBMIT_OFFSET, entered).ready(SlotLayout.SLOTS);
    }

    /**
     * The call entered last is still in its slot, and running if no result of the last lap has its id. Both may be
     * overwritten while this looks; then the answer is that of a moment later, or null.
     */
    private static @Nullable String running(LaneView lane, long entered, TaskTableReader tasks) {
        if (entered == 0) {
            return null;
        }
        MailboxReader call = new MailboxReader(lane.window(), LaneLayout.SUBMIT_OFFSET, entered - 1);
        if (call.isEmpty()) {
            return null;
        }
        long id = call.callIdPlain(call.slot());
        int task = SlotMeta.task(call.metaPlain(call.slot()));
        return isAnswered(lane, id) ? null : nameOf(tasks, task);
    }

    private static boolean isAnswered(LaneView lane, long id) {
        long taken = lane.returnedAcquire();
        for (long position = Math.max(0, taken - SlotLayout.SLOTS); position < taken + SlotLayout.SLOTS; position++) {
            MailboxReader result = new MailboxReader(lane.window(), LaneLayout.RETURN_OFFSET, position);
            if (!result.isEmpty()) {
                long slot = result.slot();
                boolean last = (SlotMeta.flags(result.metaPlain(slot)) & SlotMeta.FLAG_PROGRESS) == 0;
                if (last && result.callIdPlain(slot) == id) {
                    return true;
                }
            }
        }
        return false;
    }

    private static @Nullable String nameOf(TaskTableReader tasks, int task) {
        try {
            return TaskDescription.fromBytes(tasks.read(task)).target().toString();
        } catch (KnittingException e) {
            return null; // the slot was overwritten while it was read
        }
    }
}

package dev.knitting.observe;

import java.util.List;

/**
 * One pool at one moment. Nothing was stopped to take it: numbers of different workers may be some microseconds apart.
 *
 * @param hostPid the process that opened it
 * @param name its name
 * @param heartbeat moves on about 20 times a second while calls are open
 * @param queued calls that waited in the host at the last heartbeat
 * @param tasks how many tasks it knows
 * @param workers by index
 */
public record PoolSnapshot(
        long hostPid, String name, long heartbeat, long queued, int tasks, List<WorkerSnapshot> workers) {

    /** Copies the list. */
    public PoolSnapshot {
        workers = List.copyOf(workers);
    }
}

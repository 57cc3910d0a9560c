package dev.knitting.cli.chaos;

import dev.knitting.fault.FaultAction;
import java.time.Duration;

/**
 * What a run does.
 *
 * @param time how long callers call
 * @param seed of everything that is drawn
 * @param workers of the pool
 * @param spares of the pool
 * @param mailbox which workers serve
 * @param recycleAfter calls after which a worker is replaced in peace
 * @param action what workers suffer
 * @param minMillis earliest time of a worker's fault, from its start
 * @param maxMillis latest time
 * @param faultySeats how many of the workers suffer faults; 0: one that serves is struck from outside, again and again
 * @param recycleMillis how often all workers are replaced in peace, or 0
 * @param hostMillis shortest time between two faults of the host, or 0 for none; twice that is the longest
 */
record ChaosPlan(
        Duration time,
        long seed,
        int workers,
        int spares,
        Mailbox mailbox,
        long recycleAfter,
        FaultAction action,
        int minMillis,
        int maxMillis,
        int faultySeats,
        int recycleMillis,
        int hostMillis) {}

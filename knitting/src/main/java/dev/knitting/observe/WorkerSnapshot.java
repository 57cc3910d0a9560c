package dev.knitting.observe;

import org.jspecify.annotations.Nullable;

/**
 * One worker at one moment. Counters count from the opening of the pool, over all processes that had this index.
 *
 * @param index of the worker in its pool
 * @param pid its process; the host's for a thread worker; with a command prefix, the prefix's; 0 while it is started
 * @param incarnation counts the starts at this index, from 1
 * @param state {@code STARTING}, {@code ATTACHED}, {@code READY}, {@code STOPPED} or {@code FAILED}
 * @param asleep whether it sleeps on its bell
 * @param waiting calls in its mailbox that it has not entered, 0 to 64
 * @param task the task of the call entered last if that still runs, else null
 * @param entered calls that it has entered
 * @param failed calls that failed in it: the task threw, or its result could not cross
 * @param bytesIn bytes of arguments that did not fit the slot's words; 0 where payloads travel by reference
 * @param bytesOut the same of results
 * @param busyNanos time in tasks: exact for calls of 20 µs and more; of faster ones each 16th is measured and counts for all
 */
public record WorkerSnapshot(
        int index,
        long pid,
        int incarnation,
        String state,
        boolean asleep,
        int waiting,
        @Nullable String task,
        long entered,
        long failed,
        long bytesIn,
        long bytesOut,
        long busyNanos) {}

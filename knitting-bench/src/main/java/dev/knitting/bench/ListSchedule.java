package dev.knitting.bench;

import java.util.PriorityQueue;

/** The makespan that no hand-over can beat by more than luck: whoever is free first takes the next task in order. */
final class ListSchedule {
    private ListSchedule() {}

    /**
     * When the last worker is done.
     *
     * @param durations of the tasks, in the order of their submission, not negative
     * @param workers at least 1
     */
    static long makespan(long[] durations, int workers) {
        PriorityQueue<Long> free = new PriorityQueue<>(workers);
        for (int i = 0; i < workers; i++) {
            free.add(0L);
        }
        long last = 0;
        for (long duration : durations) {
            Long begin = free.remove();
            long end = begin + duration;
            last = Math.max(last, end);
            free.add(end);
        }
        return last;
    }
}

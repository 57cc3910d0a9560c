package dev.knitting.boot;

/** How a worker's loop ended; of a process also its exit code. */
public final class LoopEnd {
    /** The host asked for it. */
    public static final int STOPPED = 0;
    /** A task had exhausted the heap: what is left of the process is not to be trusted. */
    public static final int EXHAUSTED = 72;
    /** It had served as many calls as it was made for, or was asked to retire. */
    public static final int RETIRED = 73;
    /** The host had left the thread behind: the lane belongs to another one and must not be touched. */
    public static final int ABANDONED = 74;

    private LoopEnd() {}
}

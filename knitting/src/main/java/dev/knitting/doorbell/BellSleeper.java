package dev.knitting.doorbell;

/** The sleeper's end of one or more bells. One thread sleeps at a time; any thread may kick. */
public interface BellSleeper extends AutoCloseable {
    /** Before a sleep: from now on publishers ring. Fence and look again afterwards. */
    void arm();

    /** After a sleep: publishers need not ring. */
    void disarm();

    /** Sleeps while armed and not rung, at most so many nanoseconds; may return early for no reason. */
    void sleep(long nanos);

    /** Wakes the sleeper without a publication; a sleep that has not begun yet returns at once if still armed. */
    void kick();

    @Override
    void close();
}

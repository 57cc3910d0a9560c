package dev.knitting.doorbell;

/**
 * How long a side spins before it sleeps. Going to sleep and being woken costs more than most calls take; two sides that
 * both give up a moment too early would meet asleep at every call. So a near miss (there was something to do as soon as
 * the side had armed its bell, or shortly after it fell asleep) doubles the budget, up to eight times the base; a sleep
 * that was worth it halves it again, down to the base.
 *
 * <p>Callers of a pool share one; it is a hint, so updates may get lost. A base of zero is honoured: no spinning, ever.
 */
public final class SpinBudget {
    private static final int MOST = 8;

    private final long baseNanos;
    private volatile long nanos;

    /** A budget with this base, in nanoseconds. */
    public SpinBudget(long baseNanos) {
        this.baseNanos = baseNanos;
        this.nanos = baseNanos;
    }

    /** How long to spin now, in nanoseconds. */
    public long nanos() {
        return nanos;
    }

    /** Whether spinning is switched off. */
    public boolean isZero() {
        return baseNanos == 0;
    }

    /**
     * A sleep, or the attempt, is over.
     *
     * @param sleptNanos how long it took from arming to having something to do
     */
    public void slept(long sleptNanos) {
        long now = nanos;
        if (sleptNanos < baseNanos * MOST) {
            if (now < baseNanos * MOST) {
                nanos = Math.min(now * 2, baseNanos * MOST);
            }
        } else if (now > baseNanos) {
            nanos = Math.max(now / 2, baseNanos);
        }
    }
}

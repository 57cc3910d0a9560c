package dev.knitting.host;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for what another thread does in a few instructions. That thread may be a virtual one that has lost its carrier
 * meanwhile (a contended lock is enough), and this one may be one, too: if they only spun, on all carriers that there are,
 * it would never go on. Nor is yielding enough: a carrier may take up again what has just yielded, for ever.
 */
final class ShortWait {
    private static final int SPINS = 1_000;
    private static final long PAUSE_NANOS = 50_000;

    private ShortWait() {}

    /** Returns when the condition holds. Interrupts and the permit of {@link LockSupport#unpark} are kept for later. */
    static void until(BooleanSupplier condition) {
        boolean interrupted = false;
        boolean paused = false;
        for (int step = 0; !condition.getAsBoolean(); step = Math.min(step + 1, SPINS)) {
            if (step < SPINS) {
                Thread.onSpinWait();
            } else {
                interrupted |= Thread.interrupted(); // with it there would be no pause
                LockSupport.parkNanos(PAUSE_NANOS);
                paused = true;
            }
        }
        if (paused) {
            LockSupport.unpark(Thread.currentThread()); // there may have been a permit
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

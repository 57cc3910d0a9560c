package dev.knitting.fault;

import dev.knitting.memory.OwnProcess;
import java.util.concurrent.locks.LockSupport;

/**
 * What happens where.
 *
 * @param point at which point
 * @param action what
 */
public record Fault(FaultPoint point, FaultAction action) {
    private static final int DELAY_MILLIS = 20;

    /** Lets it happen to this process. */
    void act() {
        switch (action) {
            case KILL -> OwnProcess.kill();
            case STOP -> OwnProcess.stop();
            case DELAY -> LockSupport.parkNanos(DELAY_MILLIS * 1_000_000L);
            case THROW -> throw new InjectedFault(point);
        }
    }

    /** Tells of it, as a line that begins with {@link Faults#LINE_PREFIX}. */
    void print() {
        System.err.println(Faults.LINE_PREFIX + "point=" + point + " action=" + action + " pid="
                + ProcessHandle.current().pid());
        System.err.flush();
    }
}

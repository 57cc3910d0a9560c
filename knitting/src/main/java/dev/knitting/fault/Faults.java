package dev.knitting.fault;

import org.jspecify.annotations.Nullable;

/**
 * The switch. Code asks {@code if (Faults.ENABLED) Faults.hit(...)}: a constant, so that compiled code holds nothing of it
 * when it is off, and one field read in interpreted code.
 *
 * <p>Switched on by the system property {@value #PROPERTY}, whose value says what happens where: see {@link FaultPlan}.
 */
public final class Faults {
    /** Name of the property. */
    public static final String PROPERTY = "knitting.fault";

    /** Whether this process injects faults. */
    public static final boolean ENABLED = System.getProperty(PROPERTY) != null;

    private static volatile @Nullable FaultPlan plan;

    private Faults() {}

    /**
     * Begins with what the property says. In a worker process; a host begins with seat and incarnation 0.
     *
     * @param seat the worker's index
     * @param incarnation how many workers sat there before, and itself
     */
    public static void begin(int seat, int incarnation) {
        plan = FaultPlan.parse(System.getProperty(PROPERTY, ""), seat, incarnation);
    }

    /** A thread passes a point. Only if {@link #ENABLED}. */
    public static void hit(FaultPoint point) {
        FaultPlan current = plan;
        if (current != null) {
            current.hit(point);
        }
    }
}

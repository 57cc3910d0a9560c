package dev.knitting.fault;

import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The switch. Code asks {@code if (Faults.ENABLED) Faults.hit(...)}: a constant, so that compiled code holds nothing of it
 * when it is off, and one field read in interpreted code.
 *
 * <p>Switched on by the system property {@value #PROPERTY}, whose value says what this process does to itself:
 *
 * <ul>
 *   <li>{@code POINT:ACTION:HIT:FIRST:LAST}: once, at the hit with this number, from 1, in each incarnation from the first
 *       to the last one; others live, so that a pool comes to rest. A host has incarnation 0.
 *   <li>{@code random:SEED:MIN:MAX:ACTION:SEATS}: in so many seats, from the first one, again and again, each time at the
 *       first hit of a point after so many milliseconds, both drawn. What is drawn depends on nothing but seed, seat and
 *       incarnation; see {@link FaultDeck}.
 *   <li>nothing: what {@link #beginHost} says.
 * </ul>
 *
 * Before it acts it writes a line to standard error: {@value #LINE_PREFIX}, then point, action and process id.
 */
public final class Faults {
    /** Name of the property. */
    public static final String PROPERTY = "knitting.fault";
    /** How the line begins that tells of a fault. */
    public static final String LINE_PREFIX = "knitting-fault: ";

    /** Whether this process injects faults. */
    public static final boolean ENABLED = System.getProperty(PROPERTY) != null;

    private static volatile @Nullable FaultPlan plan;

    private Faults() {}

    /**
     * Begins with what the property says. In a worker process; a host begins with seat and incarnation 0.
     *
     * @param seat the worker's index
     * @param incarnation how many workers sat there before, and itself
     * @throws IllegalArgumentException if the property's value is no plan
     */
    public static void begin(int seat, int incarnation) {
        String text = System.getProperty(PROPERTY, "");
        if (!text.isEmpty()) {
            plan = parse(text.split(":", -1), seat, incarnation);
        }
    }

    private static @Nullable FaultPlan parse(String[] parts, int seat, int incarnation) {
        if (!parts[0].equals("random")) {
            boolean concerned = incarnation >= Integer.parseInt(parts[3]) && incarnation <= Integer.parseInt(parts[4]);
            Fault fault = new Fault(FaultPoint.valueOf(parts[0]), FaultAction.valueOf(parts[1]));
            return concerned ? new SingleFault(fault, Integer.parseInt(parts[2])) : null;
        }
        if (seat >= Integer.parseInt(parts[5])) {
            return null;
        }
        long seed = Long.parseLong(parts[1]);
        FaultDeck deck = FaultDeck.ofWorker(seed, FaultAction.valueOf(parts[4]), seat, incarnation);
        return new DrawnFaults(
                deck::draw,
                new Random(seed * 31 * 31 + seat * 31L + incarnation),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Fault::print);
    }

    /**
     * Lets this host delay, stop (somebody else must continue it) and fail itself at its own points, at random, until
     * {@link #endHost}. Only if {@link #ENABLED}.
     *
     * @param seed decides what happens, and when
     * @param minMillis shortest time between two faults
     * @param maxMillis longest time; the point must be passed, too
     * @param told is told of each fault right before it happens, on the thread that suffers it
     */
    public static void beginHost(long seed, int minMillis, int maxMillis, Consumer<Fault> told) {
        FaultDeck deck = FaultDeck.ofHost(seed);
        plan = new DrawnFaults(deck::draw, new Random(seed), minMillis, maxMillis, told);
    }

    /** Nothing happens to this process any more. */
    public static void endHost() {
        plan = null;
    }

    /** A thread passes a point. Only if {@link #ENABLED}. */
    public static void hit(FaultPoint point) {
        FaultPlan current = plan;
        if (current != null) {
            current.hit(point);
        }
    }
}

package dev.knitting.proof;

import dev.knitting.memory.ProcessBarrier;
import dev.knitting.memory.SharedSegment;
import java.util.Arrays;

/**
 * One side of a litmus test, and the main class of the child. Both sides go from round to round together, each of a round's
 * two parts as close to the other in time as they can be, and both judge each round.
 */
final class LitmusSide {
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final int SPINS_BEFORE_YIELD = 50_000;
    private static final int LEAST_ROUNDS = 1_000;
    private static final int LAST_BIT = 4;
    private static final int ROUND_SHIFT = 3;

    private final LitmusArea area;
    private final Litmus litmus;
    private final int side;
    /** How often each pair of sayings came: host times 3 plus child. */
    private final long[] seen = new long[9];

    private long forbidden;
    private long noise;
    /** Keeps the compiler from leaving a loop out. */
    private long sink;

    LitmusSide(LitmusArea area, Litmus litmus, int side) {
        this.area = area;
        this.litmus = litmus;
        this.side = side;
        this.noise = side + 1;
    }

    /** The child: name of the litmus, then how the memory is attached. */
    public static void main(String[] arguments) {
        try (SharedSegment segment = SharedSegment.attach(arguments[1])) {
            Litmus litmus = Litmus.valueOf(arguments[0]);
            if (litmus == Litmus.BELL_BARRIER && !ProcessBarrier.register()) {
                throw new IllegalStateException("membarrier is not supported");
            }
            System.out.println(new LitmusSide(new LitmusArea(segment), litmus, Litmus.CHILD).run(0, false));
        }
    }

    /**
     * Runs until the host says that this was the last round.
     *
     * @param nanos how long the host goes on; until {@link #LEAST_ROUNDS} have been, if that takes longer
     * @param untilForbidden whether the host ends at the first forbidden outcome
     * @return the tally, the same text on both sides
     */
    String run(long nanos, boolean untilForbidden) {
        Litmus.Actor actor = litmus.actor(area, side);
        exchange(0, 0); // both are there
        long start = System.nanoTime();
        long round = 0;
        boolean last;
        do {
            actor.prepare();
            skew();
            int mine = actor.round(round);
            last = side == Litmus.HOST && isEnough(round, System.nanoTime() - start, nanos, untilForbidden);
            long other = exchange(round + 1, mine | (last ? LAST_BIT : 0));
            last |= (other & LAST_BIT) != 0;
            judge(mine, (int) other & 3);
            round++;
        } while (!last);
        return litmus + ": rounds=" + round + " forbidden=" + forbidden + " seen=" + Arrays.toString(seen);
    }

    private boolean isEnough(long round, long elapsed, long nanos, boolean untilForbidden) {
        if (untilForbidden && forbidden > 0) {
            return true;
        }
        return elapsed > nanos && round > LEAST_ROUNDS || elapsed > PATIENCE_NANOS + nanos;
    }

    /** Some nanoseconds, another number each time: the two parts shall meet in all ways. */
    private void skew() {
        noise = noise * 6364136223846793005L + 1442695040888963407L;
        long x = noise;
        for (int i = (int) (noise >>> 56); i > 0; i--) {
            x = x * 31 + i;
        }
        sink = x;
    }

    private void judge(int mine, int other) {
        int host = side == Litmus.HOST ? mine : other;
        int child = side == Litmus.HOST ? other : mine;
        seen[host * 3 + child]++;
        if (litmus.isForbidden(host, child)) {
            forbidden++;
        }
    }

    /** Says what this side saw, and waits for the other one to do so. */
    private long exchange(long round, int saying) {
        area.done(side, round, (round + 1) << ROUND_SHIFT | saying);
        long since = 0;
        for (int spins = 1; ; spins++) {
            long other = area.doneOf(1 - side, round);
            if (other >>> ROUND_SHIFT > round) {
                return other;
            }
            if (spins % SPINS_BEFORE_YIELD == 0) {
                long now = System.nanoTime();
                since = since == 0 ? now : since;
                if (now - since > PATIENCE_NANOS) {
                    throw new IllegalStateException("the other side is gone: round=" + round);
                }
                Thread.yield(); // with fewer processors than sides it would never run
            }
        }
    }
}

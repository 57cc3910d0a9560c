package dev.knitting.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Faults in an order that is drawn: like cards, so that none comes a second time before each has come once. What is drawn
 * depends on nothing but the arguments.
 */
final class FaultDeck {
    private final List<Fault> cards;
    private final Random random;
    private int next;

    private FaultDeck(List<Fault> cards, Random random) {
        this.cards = new ArrayList<>(cards);
        this.random = random;
        Collections.shuffle(this.cards, random);
    }

    /** Faults of a host's points: those that it can go on after. A host that is killed is another test's business. */
    static FaultDeck ofHost(long seed) {
        List<Fault> cards = new ArrayList<>();
        for (FaultPoint point : FaultPoint.values()) {
            if (!point.isWorkers()) {
                cards.add(new Fault(point, FaultAction.DELAY));
                cards.add(new Fault(point, FaultAction.STOP));
                if (point.mayThrow()) {
                    cards.add(new Fault(point, FaultAction.THROW));
                }
            }
        }
        return new FaultDeck(cards, random(seed));
    }

    /**
     * Faults of one incarnation of a worker. The first one is the next card of its seat, in which points at which a call
     * runs are twice; those that follow, if it lives on, are at points that it passes often.
     */
    static FaultDeck ofWorker(long seed, FaultAction action, int seat, int incarnation) {
        List<Fault> all = new ArrayList<>();
        List<Fault> repeatable = new ArrayList<>();
        for (FaultPoint point : FaultPoint.values()) {
            for (int i = 0; point.isWorkers() && i < (point.isRunning() ? 2 : 1); i++) {
                Fault card = new Fault(point, action);
                all.add(card);
                if (!point.isPassedOnce()) {
                    repeatable.add(card);
                }
            }
        }
        int earlier = Math.max(0, incarnation - 1);
        FaultDeck seats = new FaultDeck(all, random((seed * 31 + seat) * 31 + earlier / all.size()));
        Fault first = seats.cards.get(earlier % all.size());
        FaultDeck own = new FaultDeck(repeatable, random((seed * 31 + seat) * 31 * 31 + incarnation));
        boolean neverOpens = earlier == 0 && isOfAStart(first.point()) && action != FaultAction.DELAY;
        if (!neverOpens) {
            own.cards.addFirst(first);
            own.next = 0;
        }
        return own;
    }

    private static boolean isOfAStart(FaultPoint point) {
        return point == FaultPoint.WORKER_ATTACHED || point == FaultPoint.WORKER_READY;
    }

    private static Random random(long seed) {
        Random random = new Random(seed);
        random.nextInt(); // the first numbers of neighbouring seeds resemble each other
        return random;
    }

    /** The next one. */
    Fault draw() {
        if (next == cards.size()) {
            next = 0;
            cards.removeIf(card -> card.point().isPassedOnce()); // of a worker that lives on: these lie behind it
            Collections.shuffle(cards, random);
        }
        return cards.get(next++);
    }
}

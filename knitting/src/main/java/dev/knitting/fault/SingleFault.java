package dev.knitting.fault;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** One fault, once, at the hit with a certain number. */
final class SingleFault implements FaultPlan {
    private final Fault fault;
    private final int hit;
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicBoolean done = new AtomicBoolean();

    SingleFault(Fault fault, int hit) {
        this.fault = fault;
        this.hit = hit;
    }

    @Override
    public void hit(FaultPoint passed) {
        if (passed == fault.point() && hits.incrementAndGet() >= hit && done.compareAndSet(false, true)) {
            fault.print();
            fault.act();
        }
    }
}

package dev.knitting.fault;

/** What one process does to itself, and where. Any thread passes points. */
interface FaultPlan {
    /** A thread passes a point. */
    void hit(FaultPoint passed);
}

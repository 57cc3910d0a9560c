package dev.knitting;

/** Where a pool's workers live. */
public enum Isolation {
    /** Threads of the host: fastest; share memory, statics and fate with it. */
    THREADS,
    /** Child JVMs: a crash, a leak or a hang costs one call, not the host. */
    PROCESSES
}

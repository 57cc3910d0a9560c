package dev.knitting.bench;

/** Placeholder for the measurements to come. */
final class Bench {
    private Bench() {}
}

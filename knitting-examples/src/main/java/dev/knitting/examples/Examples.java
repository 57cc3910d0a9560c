package dev.knitting.examples;

/** Placeholder for the examples to come. */
final class Examples {
    private Examples() {}
}

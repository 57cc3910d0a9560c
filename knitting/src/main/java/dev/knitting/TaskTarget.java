package dev.knitting;

import java.util.Objects;

/**
 * Which method a {@link Task} names: what crosses to a worker instead of code.
 *
 * @param kind how the method is called
 * @param className binary name of the class that holds it
 * @param methodName its name; {@code <init>} for a constructor
 * @param descriptor its JVM descriptor, e.g. {@code (J)J}
 */
public record TaskTarget(Kind kind, String className, String methodName, String descriptor) {
    /** How a target is called. */
    public enum Kind {
        /** A static method (a lambda's body too). */
        STATIC,
        /** An instance method whose receiver is the argument. */
        INSTANCE,
        /** A constructor. */
        CONSTRUCTOR,
        /** A method of a service's interface, called on the worker's own implementation. */
        SERVICE,
        /** The method of a function object without state, of which the worker makes its own. */
        FUNCTION
    }

    /** Checks that nothing is null. */
    public TaskTarget {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(className, "className");
        Objects.requireNonNull(methodName, "methodName");
        Objects.requireNonNull(descriptor, "descriptor");
    }

    @Override
    public String toString() {
        return className + "::" + methodName + descriptor;
    }
}

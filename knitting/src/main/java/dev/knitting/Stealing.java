package dev.knitting;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether the workers of a pool serve one submit mailbox together, or each its own. */
public enum Stealing {
    /**
     * What the environment variable {@value #VARIABLE} says, {@code on} or {@code off}; without it on. For pools that can:
     * those that have 2 to 31 workers and spares in one segment, and chose neither a {@link Balancer} nor an {@link
     * Inliner}.
     */
    AUTO,
    /** One mailbox for all workers: whoever is free takes the oldest call. */
    ON,
    /** Each worker has a mailbox of its own, and the host decides whom it gives a call. */
    OFF;

    /** The environment variable that decides for {@link #AUTO}. */
    public static final String VARIABLE = "KNITTING_STEAL";

    /** Most workers and spares of a pool whose workers share a mailbox. */
    public static final int MOST_WORKERS = 31;

    /**
     * Whether a pool shares.
     *
     * @param places workers and spares
     * @param oneSegment whether all of them map the same memory
     * @param environment value of {@link #VARIABLE}, or null
     * @throws KnittingException BAD_OPTION if the variable says something else
     */
    boolean isOn(int places, boolean oneSegment, @Nullable String environment) {
        boolean possible = oneSegment && places >= 2 && places <= MOST_WORKERS;
        if (this != AUTO) {
            return this == ON;
        }
        if (environment == null || environment.isBlank()) {
            return possible;
        }
        return switch (environment.trim().toLowerCase(Locale.ROOT)) {
            case "on", "1", "true" -> possible;
            case "off", "0", "false" -> false;
            default ->
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION,
                        "unknown value of an environment variable",
                        "option",
                        VARIABLE,
                        "value",
                        environment,
                        "valid",
                        "on, off");
        };
    }
}

package dev.knitting;

import java.util.Arrays;
import java.util.Locale;

/** How several workers share one submit mailbox, so that none is idle while a call waits. See {@link Stealing}. */
public enum Discipline {
    /** A worker claims the oldest call with one compare-and-set. Default. */
    TICKET,
    /**
     * A worker says which part of the mailbox it wants, looks at what the others want, and gives way to those with a lower
     * number: no atomic operation but loads and stores. For workers that have no other.
     */
    DEKKER;

    /**
     * The discipline with this name, in upper or lower case.
     *
     * @throws KnittingException BAD_OPTION with the valid names
     */
    public static Discipline of(String name) {
        for (Discipline each : values()) {
            if (each.name().equals(name.trim().toUpperCase(Locale.ROOT))) {
                return each;
            }
        }
        throw KnittingException.of(
                ErrorCode.BAD_OPTION,
                "unknown discipline",
                "option",
                "tuning.discipline",
                "value",
                name,
                "valid",
                Arrays.toString(values()));
    }
}

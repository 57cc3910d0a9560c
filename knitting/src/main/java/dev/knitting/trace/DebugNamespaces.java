package dev.knitting.trace;

import dev.knitting.Debug;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which namespaces are on: as a set, as the text of the environment variable, and as the bits that workers are told. */
public final class DebugNamespaces {
    private static final String ALL = "all";

    private DebugNamespaces() {}

    /**
     * Those of the option and those of the environment variable.
     *
     * @param text the variable's value, or null if it is not set
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} for an unknown name, listing the valid ones
     */
    public static Set<Debug> merge(Set<Debug> option, @Nullable String text) {
        Set<Debug> all = EnumSet.noneOf(Debug.class);
        all.addAll(option);
        if (text != null) {
            for (String word : text.split(",", -1)) {
                add(word.strip().toLowerCase(Locale.ROOT), all);
            }
        }
        return all;
    }

    private static void add(String name, Set<Debug> to) {
        if (name.isEmpty()) {
            return;
        }
        if (name.equals(ALL)) {
            to.addAll(EnumSet.allOf(Debug.class));
            return;
        }
        for (Debug namespace : Debug.values()) {
            if (nameOf(namespace).equals(name)) {
                to.add(namespace);
                return;
            }
        }
        throw KnittingException.of(
                ErrorCode.BAD_OPTION,
                "unknown debug namespace",
                "variable",
                Debug.VARIABLE,
                "value",
                name,
                "valid",
                Arrays.stream(Debug.values()).map(DebugNamespaces::nameOf).toList() + " or " + ALL);
    }

    static String nameOf(Debug namespace) {
        return namespace.name().toLowerCase(Locale.ROOT);
    }

    /** One bit for each namespace that is on. */
    public static int bits(Set<Debug> namespaces) {
        int bits = 0;
        for (Debug namespace : namespaces) {
            bits |= bit(namespace);
        }
        return bits;
    }

    static int bit(Debug namespace) {
        return 1 << namespace.ordinal();
    }
}

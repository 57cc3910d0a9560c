package dev.knitting.trace;

import dev.knitting.Debug;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a process has only once and any code can change, at one moment. Two moments differ by what ran in between.
 *
 * <p>Values of system properties are compared but never shown: they may hold secrets.
 */
public final class GlobalState {
    private final Map<String, @Nullable Object> properties = new TreeMap<>();
    private final Set<String> threads = new TreeSet<>();
    private final Map<String, String> singles = new TreeMap<>();

    private GlobalState() {
        System.getProperties().forEach((name, value) -> properties.put(String.valueOf(name), value));
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            threads.add(thread.getName());
        }
        singles.put("defaultLocale", Locale.getDefault().toString());
        singles.put("defaultTimeZone", TimeZone.getDefault().getID());
        singles.put("uncaughtExceptionHandler", identity(Thread.getDefaultUncaughtExceptionHandler()));
        singles.put("System.in", identity(System.in));
        singles.put("System.out", identity(System.out));
        singles.put("System.err", identity(System.err));
    }

    /** Names one object, and runs none of its code. */
    private static String identity(@Nullable Object object) {
        return object == null
                ? "none"
                : object.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(object));
    }

    /** The state of this moment. Not atomic: other threads go on. */
    public static GlobalState now() {
        return new GlobalState();
    }

    /**
     * Writes what was added, removed and replaced since another moment: one line, also if nothing was.
     *
     * @param phase what ran in between
     */
    public void logChangesSince(GlobalState before, String phase, DebugLog log) {
        StringBuilder text = new StringBuilder("phase=").append(phase);
        int start = text.length();
        compareProperties(before.properties, text);
        for (String thread : threads) {
            if (!before.threads.contains(thread)) {
                text.append(", +thread ").append(thread);
            }
        }
        for (String thread : before.threads) {
            if (!threads.contains(thread)) {
                text.append(", -thread ").append(thread);
            }
        }
        singles.forEach((name, value) -> {
            String old = before.singles.get(name);
            if (!value.equals(old)) {
                text.append(", ~")
                        .append(name)
                        .append(' ')
                        .append(old)
                        .append(" -> ")
                        .append(value);
            }
        });
        if (text.length() == start) {
            text.append(", nothing changed");
        }
        log.line(Debug.GLOBALS, text.toString());
    }

    private void compareProperties(Map<String, @Nullable Object> before, StringBuilder text) {
        properties.forEach((name, value) -> {
            if (!before.containsKey(name)) {
                text.append(", +property ").append(name);
            } else if (!Objects.equals(before.get(name), value)) {
                text.append(", ~property ").append(name);
            }
        });
        before.forEach((name, value) -> {
            if (!properties.containsKey(name)) {
                text.append(", -property ").append(name);
            }
        });
    }
}

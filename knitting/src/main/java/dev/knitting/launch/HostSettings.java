package dev.knitting.launch;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;

/** What a worker takes over from its host besides code: locale, time zone, charsets, environment. */
final class HostSettings {
    /** Variables through which a JVM takes options behind the command line's back. */
    private static final List<String> JVM_VARIABLES =
            List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH");

    private HostSettings() {}

    /** Adds {@code -D} options for the host's present settings. */
    static void addProperties(List<String> to) {
        Locale locale = Locale.getDefault();
        addLocale(locale, "", to);
        addCategory(Locale.Category.DISPLAY, locale, ".display", to);
        addCategory(Locale.Category.FORMAT, locale, ".format", to);
        to.add("-Duser.timezone=" + TimeZone.getDefault().getID());
        to.add("-Dfile.encoding=" + Charset.defaultCharset().name());
        // A worker's output goes to a pipe that the host reads as UTF-8.
        to.add("-Dstdout.encoding=UTF-8");
        to.add("-Dstderr.encoding=UTF-8");
    }

    private static void addCategory(Locale.Category category, Locale base, String suffix, List<String> to) {
        Locale locale = Locale.getDefault(category);
        if (!locale.equals(base)) {
            addLocale(locale, suffix, to);
        }
    }

    private static void addLocale(Locale locale, String suffix, List<String> to) {
        to.add("-Duser.language" + suffix + "=" + locale.getLanguage());
        // Also when empty: else the worker would take them from its environment.
        to.add("-Duser.script" + suffix + "=" + locale.getScript());
        to.add("-Duser.country" + suffix + "=" + locale.getCountry());
        to.add("-Duser.variant" + suffix + "=" + locale.getVariant());
    }

    /**
     * The charset in which a worker's JVM reads its command line and names files: the host's, but UTF-8 where the host
     * has none to speak of ({@link #fixEnvironment} gives the worker a UTF-8 locale then).
     */
    static Charset nativeCharset() {
        Charset host = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"), StandardCharsets.UTF_8);
        return host.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : host;
    }

    /** Turns the host's environment into a worker's. */
    static void fixEnvironment(Map<String, String> environment, Map<String, String> added) {
        for (String variable : JVM_VARIABLES) {
            environment.remove(variable);
        }
        Charset host = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"), StandardCharsets.UTF_8);
        if (host.equals(StandardCharsets.US_ASCII)) {
            // No locale, "C", or one that is not installed: a JVM would refuse file names like "é.pdf".
            environment.put("LC_ALL", "C.UTF-8");
        }
        environment.putAll(added);
    }
}

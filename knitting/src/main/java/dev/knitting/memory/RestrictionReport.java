package dev.knitting.memory;

/**
 * What a process that was started in a sandbox finds out about itself: asked by the host before it trusts a runtime that
 * is not its own, see the launcher's probe. One line of text. Runs no task.
 */
public final class RestrictionReport {
    /** The argument that makes a worker print the report and end. */
    public static final String ARGUMENT = "report";
    /** What the line begins with. */
    public static final String BEGIN = "knitting-report ";
    /** Precedes {@code os.arch}. */
    public static final String ARCHITECTURE = "arch=";
    /** The JVM may not call native functions, so it cannot restrict itself. */
    public static final String NO_NATIVE_ACCESS = "no-native-access";
    /** No Landlock rules were inherited. */
    public static final String NO_RULES = "no-rules";
    /** No filter of ours was inherited. */
    public static final String NO_FILTER = "no-filter";

    private static final int O_RDONLY = 0;

    private RestrictionReport() {}

    /** Prints it to standard output. */
    public static void print() {
        System.out.println(text());
        System.out.flush();
    }

    /** The line. Links native functions. */
    public static String text() {
        String begin = BEGIN.concat(ARCHITECTURE)
                .concat(System.getProperty("os.arch"))
                .concat(" java=")
                .concat(Integer.toString(Runtime.version().feature()));
        if (!NativeAccess.enabled()) {
            return begin.concat(" ").concat(NO_NATIVE_ACCESS);
        }
        // No sandbox lets the root be listed.
        int root = LinuxCalls.open("/", O_RDONLY);
        return begin.concat(root >= 0 ? " ".concat(NO_RULES) : "")
                .concat(LastStep.isFiltered() ? "" : " ".concat(NO_FILTER));
    }
}

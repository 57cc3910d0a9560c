package dev.knitting;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the code in a pool's workers may do. Stated for a pool by {@link PoolBuilder#sandbox}. Immutable: each method
 * returns a changed sandbox.
 *
 * <p>A pool for which none is stated runs its tasks unrestricted, as the JDK would: they are the host's own code. One
 * that runs other code, see {@link PoolBuilder#classPath}, must state one.
 *
 * <p>{@link #strict()} refuses all that is not allowed by one of these methods: files but the Java runtime, the class path
 * and a temporary folder of the worker's own; network; environment variables; child processes; other processes. The
 * kernel enforces it (Linux, Landlock and seccomp; no privileges needed). What this machine cannot enforce fails
 * {@code open} with {@link ErrorCode#UNSUPPORTED_PLATFORM}, by name, before anything is started.
 *
 * <p>Paths are taken as they are at {@code open}, symbolic links resolved: a link that somebody makes later leads nowhere
 * new. They must exist then. What lies in a folder is allowed with it, whenever it is made.
 */
public final class Sandbox {
    private static final Sandbox NONE = new Sandbox(false, List.of(), noneOf(), noneOf(), noneOf(), false);
    private static final Sandbox STRICT = new Sandbox(true, List.of(), noneOf(), noneOf(), noneOf(), false);
    private static final int MOST_PORT = 65_535;

    /** What a rule of the list says about a path. */
    public enum Access {
        /** Files may be read, folders listed. */
        READ,
        /** As read; files and folders may also be changed, made, renamed and removed. */
        WRITE,
        /** As read; files may also be executed. */
        EXECUTE,
        /** Nothing, although a folder above is allowed. */
        DENY
    }

    /**
     * One path of a sandbox.
     *
     * @param path as it was given
     * @param access what it may be used for
     */
    public record PathRule(Path path, Access access) {
        /** Checks for null. */
        public PathRule {
            Objects.requireNonNull(path, "path");
            Objects.requireNonNull(access, "access");
        }
    }

    private final boolean restricting;
    private final List<PathRule> paths;
    private final SortedSet<Integer> connect;
    private final SortedSet<Integer> bind;
    private final SortedSet<String> variables;
    private final boolean childProcesses;

    private Sandbox(
            boolean restricting,
            List<PathRule> paths,
            SortedSet<Integer> connect,
            SortedSet<Integer> bind,
            SortedSet<String> variables,
            boolean childProcesses) {
        this.restricting = restricting;
        this.paths = List.copyOf(paths);
        this.connect = Collections.unmodifiableSortedSet(connect);
        this.bind = Collections.unmodifiableSortedSet(bind);
        this.variables = Collections.unmodifiableSortedSet(variables);
        this.childProcesses = childProcesses;
    }

    private static <T> SortedSet<T> noneOf() {
        return Collections.emptySortedSet();
    }

    /** No restriction: the code in the workers may do what the host may do. To be said aloud, for code you trust. */
    public static Sandbox none() {
        return NONE;
    }

    /** Nothing is allowed but to compute: the start for {@link #read} and the other methods. */
    public static Sandbox strict() {
        return STRICT;
    }

    /**
     * A sandbox as text: a properties file whose keys are the names of the methods, with lists separated by commas.
     *
     * <pre>{@code
     * read = ~/documents, /usr/share/dict
     * write = out
     * connect = 443
     * env = LANG, TZ
     * }</pre>
     *
     * <p>Keys: {@code read}, {@code write}, {@code execute}, {@code deny}, {@code connect}, {@code bind}, {@code env},
     * {@code childProcesses}. Paths may begin with {@code ~} or be {@code file:} URLs; relative ones are relative to the
     * file's folder. An empty file is {@link #strict()}.
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if the file cannot be read or says something else
     */
    public static Sandbox parse(Path file) {
        return SandboxText.parse(file);
    }

    /**
     * Allows files to be read, and folders with all that is in them. Sensitive places below an allowed folder stay closed
     * unless they are named themselves: {@code .env .git .npmrc .docker .secrets} in it and in the working directory; of
     * the home directory {@code .ssh .gnupg .aws .azure .config/gcloud .kube}; {@code /proc /sys /dev /etc}.
     */
    public Sandbox read(Path... files) {
        return with(Access.READ, files);
    }

    /**
     * Allows files to be read and changed, and folders with all that is in them. Not their modes, owners, times and
     * extended attributes: no option allows that.
     */
    public Sandbox write(Path... files) {
        return with(Access.WRITE, files);
    }

    /**
     * Allows programs to be read and executed. Implies {@link #childProcesses}. A program that can be read can also be
     * executed by way of the dynamic linker, so this is reported as coarse.
     */
    public Sandbox execute(Path... programs) {
        return with(Access.EXECUTE, programs).childProcesses(true);
    }

    /**
     * Forbids paths below allowed folders. The kernel can only allow: an allowed folder is expanded, at the worker's
     * start, into what else is in it. What is made there later is not allowed, and the folder itself cannot be listed.
     */
    public Sandbox deny(Path... files) {
        return with(Access.DENY, files);
    }

    private Sandbox with(Access access, Path... files) {
        List<PathRule> all = new ArrayList<>(paths);
        for (Path file : files) {
            all.add(new PathRule(file, access));
        }
        return changed("path", new Sandbox(restricting, all, connect, bind, variables, childProcesses));
    }

    /**
     * Allows TCP connections to these ports, of any machine. Other sockets stay closed, UDP among them: names are then
     * resolved from {@code /etc/hosts} only, which is allowed with this, or by a name server over TCP.
     *
     * @param ports 1 to 65,535
     */
    public Sandbox connect(int... ports) {
        return changed(
                "connect", new Sandbox(restricting, paths, and(connect, ports, 1), bind, variables, childProcesses));
    }

    /**
     * Allows to listen on these TCP ports.
     *
     * @param ports 0 to 65,535; 0 means any free one
     */
    public Sandbox bind(int... ports) {
        return changed(
                "bind", new Sandbox(restricting, paths, connect, and(bind, ports, 0), variables, childProcesses));
    }

    private static SortedSet<Integer> and(SortedSet<Integer> before, int[] ports, int least) {
        SortedSet<Integer> all = new TreeSet<>(before);
        for (int port : ports) {
            all.add(PoolOptions.checkRange("sandbox port", port, least, MOST_PORT));
        }
        return all;
    }

    /**
     * Passes environment variables of the host on to the workers; without it they get none but a locale and what {@link
     * PoolBuilder#environment} sets.
     */
    public Sandbox env(String... names) {
        SortedSet<String> all = new TreeSet<>(variables);
        for (String name : names) {
            PoolOptions.checkName("sandbox.env", name, "");
            all.add(name);
        }
        return changed("env", new Sandbox(restricting, paths, connect, bind, all, childProcesses));
    }

    /**
     * Whether workers may start processes, which are then in the same sandbox. Default false. What may be executed is said
     * by {@link #execute}.
     */
    public Sandbox childProcesses(boolean allowed) {
        return changed("childProcesses", new Sandbox(restricting, paths, connect, bind, variables, allowed));
    }

    private Sandbox changed(String option, Sandbox changed) {
        if (!restricting) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "Sandbox.none() restricts nothing, so nothing can be allowed: start with Sandbox.strict()",
                    "option",
                    "sandbox." + option);
        }
        return changed;
    }

    /** Whether anything is restricted. */
    public boolean restricts() {
        return restricting;
    }

    /** Paths and what they may be used for, in the order of the calls. */
    public List<PathRule> paths() {
        return paths;
    }

    /** TCP ports that may be connected to. */
    public SortedSet<Integer> connect() {
        return connect;
    }

    /** TCP ports that may be listened on. */
    public SortedSet<Integer> bind() {
        return bind;
    }

    /** Environment variables that are passed on. */
    public SortedSet<String> variables() {
        return variables;
    }

    /** Whether workers may start processes. */
    public boolean childProcesses() {
        return childProcesses;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Sandbox that
                && restricting == that.restricting
                && paths.equals(that.paths)
                && connect.equals(that.connect)
                && bind.equals(that.bind)
                && variables.equals(that.variables)
                && childProcesses == that.childProcesses;
    }

    @Override
    public int hashCode() {
        return Objects.hash(restricting, paths, connect, bind, variables, childProcesses);
    }

    @Override
    public String toString() {
        if (!restricting) {
            return "none";
        }
        StringBuilder text = new StringBuilder("strict");
        for (PathRule rule : paths) {
            text.append(' ')
                    .append(rule.access().name().toLowerCase(java.util.Locale.ROOT))
                    .append('=')
                    .append(rule.path());
        }
        append(text, " connect=", connect);
        append(text, " bind=", bind);
        append(text, " env=", variables);
        return text.append(childProcesses ? " childProcesses" : "").toString();
    }

    private static void append(StringBuilder text, String name, SortedSet<?> values) {
        if (!values.isEmpty()) {
            text.append(name).append(values);
        }
    }
}

package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a pool's sandboxed workers may do, with every path open: opened once, a name means the same file for the pool's
 * whole life, whatever a worker that may write there puts in its place. Any thread.
 */
public final class SandboxRules implements AutoCloseable {
    private static final int O_PATH = 0x200000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int ENOENT = 2;

    private final Confinement confinement;
    private final List<OpenPath> paths = new ArrayList<>();
    private final byte[] filter;

    private SandboxRules(Confinement confinement) {
        this.confinement = confinement;
        this.filter = SandboxFilters.inherited(confinement);
    }

    /** A path that is held open, without the right to read it. */
    record OpenPath(Confinement.PathAccess access, int descriptor) implements AutoCloseable {
        @Override
        public void close() {
            LinuxCalls.close(descriptor);
        }
    }

    /**
     * Opens all paths. One that is gone meanwhile is left out: there is nothing to allow.
     *
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if one cannot be opened
     */
    public static SandboxRules open(Confinement confinement) {
        SandboxRules rules = new SandboxRules(confinement);
        try {
            for (Confinement.PathAccess path : confinement.paths()) {
                int descriptor = LinuxCalls.open(path.path(), O_PATH | LinuxCalls.NO_FOLLOW | O_CLOEXEC);
                if (descriptor >= 0) {
                    rules.paths.add(new OpenPath(path, descriptor));
                } else if (descriptor != -ENOENT) {
                    throw KnittingException.of(
                            ErrorCode.STARTUP_FAILED,
                            "a path of the sandbox cannot be opened",
                            "path",
                            path.path(),
                            "errno",
                            -descriptor,
                            "option",
                            "sandbox");
                }
            }
            return rules;
        } catch (RuntimeException | Error e) {
            rules.close();
            throw e;
        }
    }

    static OpenPath writable(Path folder) throws IOException {
        int descriptor = LinuxCalls.open(folder.toString(), O_PATH | LinuxCalls.NO_FOLLOW | O_CLOEXEC);
        if (descriptor < 0) {
            throw new IOException("errno=" + -descriptor + ", path=" + folder);
        }
        int rights = Confinement.READ | Confinement.WRITE;
        return new OpenPath(new Confinement.PathAccess(folder.toString(), rights, true), descriptor);
    }

    List<OpenPath> paths() {
        return paths;
    }

    Confinement confinement() {
        return confinement;
    }

    byte[] filter() {
        return filter;
    }

    /** Closes the paths; no process may be prepared any more. */
    @Override
    public void close() {
        paths.forEach(OpenPath::close);
        paths.clear();
    }
}

package dev.knitting.memory;

import java.util.List;

/**
 * What a sandboxed process may do, in the kernel's terms. Everything else that Landlock and the filters know is refused.
 *
 * @param paths files and folders, each with what may be done to it and to all below it
 * @param connect TCP ports that may be connected to
 * @param bind TCP ports that may be listened on
 * @param childProcesses whether it may start processes
 */
public record Confinement(List<PathAccess> paths, List<Integer> connect, List<Integer> bind, boolean childProcesses) {
    /** Read files and list folders. */
    public static final int READ = 1;
    /** Change, make, rename and remove files and folders. */
    public static final int WRITE = 2;
    /** Execute files. */
    public static final int EXECUTE = 4;

    /** Copies the lists. */
    public Confinement {
        paths = List.copyOf(paths);
        connect = List.copyOf(connect);
        bind = List.copyOf(bind);
    }

    /**
     * What may be done to a file, or to a folder and all below it.
     *
     * @param path canonical: no symbolic links
     * @param rights a sum of {@link #READ}, {@link #WRITE} and {@link #EXECUTE}
     * @param folder whether it is a folder
     */
    public record PathAccess(String path, int rights, boolean folder) {}

    /** Whether any TCP connection is allowed, in or out. */
    boolean hasNetwork() {
        return !connect.isEmpty() || !bind.isEmpty();
    }
}

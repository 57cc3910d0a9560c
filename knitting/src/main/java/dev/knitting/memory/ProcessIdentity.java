package dev.knitting.memory;

/**
 * One process, told apart from a later one with the same number.
 *
 * @param pid process id as this process sees it
 * @param startToken when it started, as {@link HostLiveness} compares it; 0 if unknown. Not a time to show to anybody
 */
public record ProcessIdentity(long pid, long startToken) {
    /** This process. Without a token if {@code /proc} belongs to another pid namespace: there the id is somebody else. */
    public static ProcessIdentity current() {
        long pid = ProcessHandle.current().pid();
        return new ProcessIdentity(pid, ProcStat.isForeign(pid) ? 0 : HostLiveness.startToken(pid));
    }
}

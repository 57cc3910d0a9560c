package dev.knitting.memory;

/**
 * One process, told apart from a later one with the same number.
 *
 * @param pid process id as this process sees it
 * @param startToken when it started, as {@link HostLiveness} compares it; 0 if unknown. Not a time to show to anybody
 */
public record ProcessIdentity(long pid, long startToken) {
    /** This process. */
    public static ProcessIdentity current() {
        long pid = ProcessHandle.current().pid();
        return new ProcessIdentity(pid, HostLiveness.startToken(pid));
    }
}

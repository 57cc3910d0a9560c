package dev.knitting.launch;

import java.util.List;

/** Kills a process together with what it started. */
final class ProcessTree {
    private ProcessTree() {}

    /**
     * Kills a process (SIGKILL) and every descendant it has at this moment. What outlived a parent that is already dead
     * belongs to nobody any more and cannot be found.
     */
    static void kill(Process process) {
        // Listed before the kill: afterwards they are no longer descendants. A handle knows its process's start time,
        // so a number that is in use again is left alone.
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        for (ProcessHandle descendant : descendants) {
            // What it started since the first look.
            List<ProcessHandle> late = descendant.descendants().toList();
            descendant.destroyForcibly();
            late.forEach(ProcessHandle::destroyForcibly);
        }
    }
}

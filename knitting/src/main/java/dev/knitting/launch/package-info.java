/**
 * Starts, watches and ends worker processes: command lines, child JVMs, captured output, what their end means.
 *
 * <p>Owns every child process of every pool and the private directory its start needs. Knows nothing of mailboxes, calls
 * or payloads: what it has to hand to a worker comes as plain strings. Runs in the host only: {@code start} on a
 * permanent launcher thread per pool, output and exits on daemon threads per worker. Start reading at
 * {@link dev.knitting.launch.ProcessLauncher}, then {@link dev.knitting.launch.WorkerCommand}.
 */
@NullMarked
package dev.knitting.launch;

import org.jspecify.annotations.NullMarked;

/**
 * Starts, watches and ends workers: command lines, child processes, captured output.
 *
 * <p>Knows nothing of mailboxes or calls. Called by the host's launcher thread. Start reading at {@code ProcessLauncher}.
 */
@NullMarked
package dev.knitting.launch;

import org.jspecify.annotations.NullMarked;

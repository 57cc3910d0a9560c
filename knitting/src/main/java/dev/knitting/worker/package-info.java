/**
 * The worker's side: loop, task lookup, waiting; the same code in a thread and in a child process.
 *
 * <p>Starts fast: loads little and links native functions late. Start reading at {@code WorkerLoop}.
 */
@NullMarked
package dev.knitting.worker;

import org.jspecify.annotations.NullMarked;

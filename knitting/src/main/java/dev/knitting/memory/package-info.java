/**
 * Shared memory and everything native: creates, maps, reserves, hands over and unlinks segments; the segment header, its
 * handshake and the task table; futex and memory barriers. The only package that links native functions.
 *
 * <p>Knows nothing of mailboxes, tasks or threads. Called by the host and by the worker. Start reading at {@code
 * SharedSegment}.
 */
@NullMarked
package dev.knitting.memory;

import org.jspecify.annotations.NullMarked;

/**
 * How a sleeping side of a mailbox is woken: futex on the shared word, or one byte over a Unix-domain socket.
 *
 * <p>The word and its rules are {@link dev.knitting.mailbox.BellWord}; here are the ways to sleep and to wake. Used by
 * the host and by the worker. Start reading at {@code Bell}.
 */
@NullMarked
package dev.knitting.doorbell;

import org.jspecify.annotations.NullMarked;

/**
 * Debug lines: what {@code dev.knitting.Debug} switches on.
 *
 * <p>Knows no pool, lane or worker. Nothing of this package is loaded in a worker unless a namespace is on. Any thread.
 * Start reading at {@code DebugLog}.
 */
@NullMarked
package dev.knitting.trace;

import org.jspecify.annotations.NullMarked;

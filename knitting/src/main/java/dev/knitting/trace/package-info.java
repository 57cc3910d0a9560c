/**
 * What a pool tells while it runs: debug lines, which {@code dev.knitting.Debug} switches on, and events for the JDK's
 * flight recorder.
 *
 * <p>Knows no pool, lane or worker. Nothing of this package is loaded in a worker unless a namespace is on. Any thread.
 * Start reading at {@code DebugLog} and {@code FlightEvents}.
 */
@NullMarked
package dev.knitting.trace;

import org.jspecify.annotations.NullMarked;

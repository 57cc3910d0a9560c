/**
 * Ways to run a function elsewhere, behind one interface: {@link dev.knitting.bench.peer.Peer}.
 *
 * <p>A new peer is a class here and a line in {@link dev.knitting.bench.peer.Peers}. Peers know nothing of timing or
 * statistics. Each is used by one caller thread at a time.
 */
@NullMarked
package dev.knitting.bench.peer;

import org.jspecify.annotations.NullMarked;

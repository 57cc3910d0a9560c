/**
 * Shared memory and everything native: creates, maps, reserves, hands over and unlinks segments; the segment header, its
 * handshake and the task table; futex and memory barriers. The only package that links native functions.
 *
 * <p>Knows nothing of mailboxes, tasks or threads. Called by the host and by the worker. Start reading at {@code
 * SharedSegment}.
 *
 * <p>Edges between host and workers that are made here:
 *
 * <ul>
 *   <li>[header-complete]: release in {@code SegmentHeaderView.write}, acquire in {@code SegmentHeaderView.attach};
 *       protects the constant part of the header. Without it a worker could see a version but no offsets.
 *   <li>[task-announced]: release in {@code TaskTable.append}, acquire in {@code TaskTableReader.countAcquire}; protects
 *       the entries. Without it a worker could see a count but half an entry.
 * </ul>
 */
@NullMarked
package dev.knitting.memory;

import org.jspecify.annotations.NullMarked;

/**
 * The wire protocol: layouts, views, publish, poll, acknowledge, ring. No threads, no objects.
 *
 * <p>Edges: pairs of a releasing and an acquiring access. Each site repeats the name.
 *
 * <ul>
 *   <li>[published]: a slot's sequence. Orders the slot's other words and the payload's bytes; without it a consumer reads
 *       torn messages.
 *   <li>[retired], [returned]: how far a mailbox was read. Order the reads of the slots below; without them a slot is
 *       overwritten while it is read.
 *   <li>[state]: what a worker is doing. Orders its error text; without it the host reads half a text.
 *   <li>[ringing]: a worker can ring. Orders the results it published before; without it a leader sleeps beside one.
 *   <li>[requests]: the host asks a worker to end, or a call to stop. Orders the abort record.
 *   <li>[aborted]: a call shall stop. Orders what is wanted and why; without it a task reads half a reason.
 *   <li>[released] ({@code codec.PayloadSpan}): a span was read. Without it a result is overwritten while it is decoded.
 *   <li>[header-complete], [task-announced] ({@code memory}): a segment's header, a task's description is complete.
 *   <li>[arrived], [written] ({@code host}, on the heap): a call's outcome is here; a ticket's slot is no longer touched.
 * </ul>
 *
 * <p>Store-to-load pairs, which need fences, are {@link dev.knitting.mailbox.BellFence}'s.
 *
 * <p>Start reading at {@code SlotLayout}, then {@code MailboxWriter} and {@code MailboxReader}.
 */
@NullMarked
package dev.knitting.mailbox;

import org.jspecify.annotations.NullMarked;

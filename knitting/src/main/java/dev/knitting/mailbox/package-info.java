/**
 * The wire protocol: layouts, views, publish, poll, acknowledge, ring. No threads, no objects.
 *
 * <p>Start reading at {@code SlotLayout}, then {@code SubmitMailbox}.
 */
@NullMarked
package dev.knitting.mailbox;

import org.jspecify.annotations.NullMarked;

/**
 * Java values to tag and bytes and back, and the allocator of payload regions.
 *
 * <p>Never touches shared control words. What it decodes may come from a hostile peer: every word is read once, checked,
 * then used. Called by the host and by the worker. Start reading at {@code ValueCodec}.
 */
@NullMarked
package dev.knitting.codec;

import org.jspecify.annotations.NullMarked;

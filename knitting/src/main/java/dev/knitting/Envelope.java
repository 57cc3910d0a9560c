package dev.knitting;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A header and a body: metadata beside bytes, or beside a {@link SharedBuffer}, which crosses without a copy. Declare it with
 * the header's type, as in {@code Task<Envelope<Request>, Envelope<Reply>>}: that is how the header's types are known.
 *
 * <p>The whole is one payload: what {@link PayloadOptions#maxBytes} limits is header and bytes together; a shared buffer
 * counts as a few bytes.
 *
 * @param header anything that crosses; a future does not
 * @param bytes the body, or null if it is a buffer; may be empty. Not copied here
 * @param buffer the body, or null if it is bytes
 * @param <H> type of the header
 */
@SuppressWarnings(
        "ArrayRecordComponent") // the bytes are the caller's own: envelopes are equal if they hold the same array
public record Envelope<H extends @Nullable Object>(
        H header, byte @Nullable [] bytes, @Nullable SharedBuffer buffer) implements AutoCloseable {
    /**
     * Checks that there is one body.
     *
     * @throws IllegalArgumentException if there is none, or if there are two
     */
    public Envelope {
        if ((bytes == null) == (buffer == null)) {
            throw new IllegalArgumentException("an envelope has one body: bytes or a buffer");
        }
    }

    /** An envelope with bytes. */
    public static <H extends @Nullable Object> Envelope<H> of(H header, byte[] body) {
        return new Envelope<>(header, Objects.requireNonNull(body, "body"), null);
    }

    /** An envelope with a shared buffer; whoever closes the envelope closes that. */
    public static <H extends @Nullable Object> Envelope<H> of(H header, SharedBuffer body) {
        return new Envelope<>(header, null, Objects.requireNonNull(body, "body"));
    }

    /** Length of the body in bytes. */
    public long size() {
        return buffer != null ? buffer.size() : Objects.requireNonNull(bytes).length;
    }

    /** Closes the buffer, if that is the body. */
    @Override
    public void close() {
        if (buffer != null) {
            buffer.close();
        }
    }
}

package dev.knitting;

/**
 * Sizes and caps of payloads, in bytes. Immutable: each method returns changed options.
 *
 * @param ceilingBytes most that one worker's payloads of one direction may take at once; pages are committed as used
 * @param maxBytes most that one argument or one result may take
 * @param buffersBytes most that all {@linkplain SharedBuffer shared buffers} of a pool may take at once, with a segment for
 *     each worker those of one worker; 0 for none
 */
public record PayloadOptions(long ceilingBytes, long maxBytes, long buffersBytes) {
    /** Smallest ceiling: one call of the smallest cap. */
    public static final long MIN_CEILING_BYTES = 64L << 10;
    /** Largest ceiling. */
    public static final long MAX_CEILING_BYTES = 64L << 30;
    /** Most that shared buffers may take. */
    public static final long MAX_BUFFERS_BYTES = 1L << 40;

    static final PayloadOptions DEFAULTS = new PayloadOptions(256L << 20, 64L << 20, 1L << 30);

    /** Checks ranges and that one payload fits under the ceiling. */
    public PayloadOptions {
        PoolOptions.checkRange("payload.ceilingBytes", ceilingBytes, MIN_CEILING_BYTES, MAX_CEILING_BYTES);
        PoolOptions.checkRange("payload.maxBytes", maxBytes, 1, ceilingBytes);
        PoolOptions.checkRange("payload.buffersBytes", buffersBytes, 0, MAX_BUFFERS_BYTES);
    }

    /** Most that one worker's payloads of one direction may take at once; lowers {@link #maxBytes} if need be. */
    public PayloadOptions ceilingBytes(long bytes) {
        return new PayloadOptions(bytes, Math.min(maxBytes, bytes), buffersBytes);
    }

    /** Most that one argument or one result may take. */
    public PayloadOptions maxBytes(long bytes) {
        return new PayloadOptions(ceilingBytes, bytes, buffersBytes);
    }

    /** Most that all shared buffers may take at once; addresses, not memory. Whole pages of 4 KiB count. */
    public PayloadOptions buffersBytes(long bytes) {
        return new PayloadOptions(ceilingBytes, maxBytes, bytes);
    }
}

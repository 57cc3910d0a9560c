package dev.knitting;

/**
 * Sizes and caps of payloads, in bytes. Immutable: each method returns changed options.
 *
 * @param ceilingBytes most that one worker's payloads of one direction may take at once; pages are committed as used
 * @param maxBytes most that one argument or one result may take
 */
public record PayloadOptions(long ceilingBytes, long maxBytes) {
    /** Smallest ceiling: one call of the smallest cap. */
    public static final long MIN_CEILING_BYTES = 64L << 10;
    /** Largest ceiling. */
    public static final long MAX_CEILING_BYTES = 64L << 30;

    static final PayloadOptions DEFAULTS = new PayloadOptions(256L << 20, 64L << 20);

    /** Checks ranges and that one payload fits under the ceiling. */
    public PayloadOptions {
        PoolOptions.checkRange("payload.ceilingBytes", ceilingBytes, MIN_CEILING_BYTES, MAX_CEILING_BYTES);
        PoolOptions.checkRange("payload.maxBytes", maxBytes, 1, ceilingBytes);
    }

    /** Most that one worker's payloads of one direction may take at once; lowers {@link #maxBytes} if need be. */
    public PayloadOptions ceilingBytes(long bytes) {
        return new PayloadOptions(bytes, Math.min(maxBytes, bytes));
    }

    /** Most that one argument or one result may take. */
    public PayloadOptions maxBytes(long bytes) {
        return new PayloadOptions(ceilingBytes, bytes);
    }
}

package dev.knitting.mailbox;

/**
 * The packed {@code meta} word of a slot: task (of a result: how long it took) 16 bits, tag 8, flags 24, inline length 16,
 * from the lowest bit up. One word, so that it is read once: what was checked is what is used.
 */
public final class SlotMeta {
    /** The message carries nothing: its producer failed between ticket and publication. Consumers skip it. */
    public static final int FLAG_VOID = 1;
    /** The result is a failure. */
    public static final int FLAG_FAILED = 1 << 1;
    /** The payload's body lies in the slot. */
    public static final int FLAG_INLINE = 1 << 2;
    /** The payload lies in the arena, at {@code word0} with length {@code word1}. */
    public static final int FLAG_ARENA = 1 << 3;
    /** The payload travels by reference, in the host's pending table (thread workers only). */
    public static final int FLAG_REFERENCE = 1 << 4;
    /** The argument is a tuple: the values that a lambda captured. */
    public static final int FLAG_TUPLE = 1 << 5;
    /** The call has a deadline, in the slot's word of that name. */
    public static final int FLAG_DEADLINE = 1 << 6;
    /** The host may leave the worker's thread behind during this call (thread workers only). */
    public static final int FLAG_GUARDED = 1 << 7;
    /** The result's task was asked to stop, and learned of it before it ended. */
    public static final int FLAG_STOPPED = 1 << 8;
    /** The call was cancelled before the worker entered it: it did not run, and there is no result. */
    public static final int FLAG_NEVER_RAN = 1 << 9;
    /** The message is no result: the call is open, and says how far it is. */
    public static final int FLAG_PROGRESS = 1 << 10;
    /** The result is still to come: the worker has entered the call and goes on with others. */
    public static final int FLAG_BEGUN = 1 << 11;

    /** The message is no result: the call's task asks for a shared buffer, {@code word0} its length, {@code word1} the request. */
    public static final int FLAG_WANTS_BUFFER = 1 << 12;

    private static final int FLAGS_MASK = 0xFF_FFFF;

    /** From here on times are rounded. */
    private static final int LONG_MICROS_LOG = 15;

    private static final int LONG_MICROS = 1 << LONG_MICROS_LOG;
    private static final int PLACES_LOG = 10;
    private static final int PLACES = 1 << PLACES_LOG;

    private SlotMeta() {}

    /** Packs the fields; values beyond their width are cut. */
    public static long pack(int task, byte tag, int flags, int length) {
        return (task & 0xFFFFL) | (tag & 0xFFL) << 16 | (long) (flags & FLAGS_MASK) << 24 | (length & 0xFFFFL) << 48;
    }

    /** The task's number, 0 to 65,535. */
    public static int task(long meta) {
        return (int) (meta & 0xFFFF);
    }

    /**
     * How long a call took, as its result says it: to be packed in place of the task. Exact to the microsecond below 32
     * ms; above, it has eleven significant bits (an error of 0.1 %).
     */
    public static int took(long nanos) {
        long micros = nanos / 1_000;
        if (micros < LONG_MICROS) {
            return (int) micros + 1;
        }
        int octave = (Long.SIZE - 1 - Long.numberOfLeadingZeros(micros)) - LONG_MICROS_LOG;
        int places = (int) (micros >>> (octave + LONG_MICROS_LOG - PLACES_LOG)) & PLACES - 1;
        return Math.min(LONG_MICROS + 1 + (octave << PLACES_LOG) + places, 0xFFFF);
    }

    /** Microseconds that the call of a result took, at most 2^31 - 1, or -1 if the worker did not measure it. */
    public static int tookMicros(long meta) {
        int code = task(meta);
        if (code <= LONG_MICROS) {
            return code - 1;
        }
        int octave = (code - LONG_MICROS - 1) >>> PLACES_LOG;
        long places = (long) PLACES + ((code - LONG_MICROS - 1) & PLACES - 1);
        return (int) Math.min(places << (octave + LONG_MICROS_LOG - PLACES_LOG), Integer.MAX_VALUE);
    }

    /** Whether the value was copied into the header words whole: it is no failure, tuple, reference or body. */
    public static boolean isCopy(int flags) {
        return (flags & (FLAG_FAILED | FLAG_INLINE | FLAG_ARENA | FLAG_REFERENCE | FLAG_TUPLE)) == 0;
    }

    /** The payload's tag. */
    public static byte tag(long meta) {
        return (byte) (meta >>> 16);
    }

    /** The flags, 24 bits. */
    public static int flags(long meta) {
        return (int) (meta >>> 24) & FLAGS_MASK;
    }

    /** Whether the message uses the third and fourth word: packed bytes beyond the second, or an inline body. */
    public static boolean isWide(long meta) {
        return length(meta) > 2 * Long.BYTES;
    }

    /** Bytes in the header words or inline, 0 to 65,535: unchecked. */
    public static int length(long meta) {
        return (int) (meta >>> 48);
    }
}

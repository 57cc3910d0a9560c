package dev.knitting.codec;

/**
 * What the bytes of a payload mean: one number per kind, the same at the top of a payload and inside a structure. Zero
 * is no tag, so that cleared memory is never taken for a value. Host and worker share the numbers.
 */
public final class PayloadTag {
    /** {@code null}; a task without a result. */
    public static final byte NULL = 1;
    /** {@link Boolean#FALSE}. */
    public static final byte FALSE = 2;
    /** {@link Boolean#TRUE}. */
    public static final byte TRUE = 3;
    /** A {@link Byte}. */
    public static final byte BYTE = 4;
    /** A {@link Short}. */
    public static final byte SHORT = 5;
    /** A {@link Character}. */
    public static final byte CHAR = 6;
    /** An {@link Integer}. */
    public static final byte INT = 7;
    /** A {@link Long}. */
    public static final byte LONG = 8;
    /** A {@link Float}, by its raw bits. */
    public static final byte FLOAT = 9;
    /** A {@link Double}, by its raw bits. */
    public static final byte DOUBLE = 10;
    /** A {@link String} of characters up to 0xFF, one byte each. */
    public static final byte STRING_LATIN1 = 11;
    /** Any other {@link String}, two bytes a UTF-16 code unit. */
    public static final byte STRING_UTF16 = 12;
    /** A {@link java.util.UUID}. */
    public static final byte UUID = 13;
    /** A {@link java.time.Instant}. */
    public static final byte INSTANT = 14;
    /** A {@link java.time.Duration}. */
    public static final byte DURATION = 15;
    /** A constant of an enum of the {@link TypeTable}: index, ordinal. */
    public static final byte ENUM = 16;
    /** A {@code byte[]}. */
    public static final byte BYTES = 17;
    /** A {@code boolean[]}, one byte an element. */
    public static final byte BOOLEANS = 18;
    /** A {@code short[]}. */
    public static final byte SHORTS = 19;
    /** A {@code char[]}. */
    public static final byte CHARS = 20;
    /** An {@code int[]}. */
    public static final byte INTS = 21;
    /** A {@code long[]}. */
    public static final byte LONGS = 22;
    /** A {@code float[]}. */
    public static final byte FLOATS = 23;
    /** A {@code double[]}. */
    public static final byte DOUBLES = 24;
    /** The remaining bytes of a {@link java.nio.ByteBuffer} and its byte order. */
    public static final byte BYTE_BUFFER = 25;
    /** The bytes of a {@link java.lang.foreign.MemorySegment}. */
    public static final byte SEGMENT = 26;
    /** An array of references: component type, length, elements. */
    public static final byte ARRAY = 27;
    /** A {@link java.util.List}. */
    public static final byte LIST = 28;
    /** A {@link java.util.Set} in its order. */
    public static final byte SET = 29;
    /** A {@link java.util.Map} in its order. */
    public static final byte MAP = 30;
    /** A {@link java.util.SortedSet} in natural order. */
    public static final byte SORTED_SET = 31;
    /** A {@link java.util.SortedMap} in natural order. */
    public static final byte SORTED_MAP = 32;
    /** A record of the {@link TypeTable}: index, components. */
    public static final byte RECORD = 33;
    /** A value of a {@link dev.knitting.PayloadCodec}: index, length, its bytes. */
    public static final byte CUSTOM = 34;
    /** A {@link Throwable} as a value. */
    public static final byte THROWABLE = 35;
    /** An empty {@link java.util.Optional}. */
    public static final byte OPTIONAL_EMPTY = 36;
    /** An {@link java.util.Optional} with a value. */
    public static final byte OPTIONAL = 37;
    /** An {@link java.util.OptionalInt}. */
    public static final byte OPTIONAL_INT = 38;
    /** An {@link java.util.OptionalLong}. */
    public static final byte OPTIONAL_LONG = 39;
    /** An {@link java.util.OptionalDouble}. */
    public static final byte OPTIONAL_DOUBLE = 40;
    /** A {@link java.math.BigInteger}. */
    public static final byte BIG_INTEGER = 41;
    /** A {@link java.math.BigDecimal}. */
    public static final byte BIG_DECIMAL = 42;
    /** A {@link java.net.URI}, as text. */
    public static final byte URI = 43;
    /** A {@link java.nio.file.Path} of the default file system, as text. */
    public static final byte PATH = 44;
    /** A {@link java.time.LocalDate}. */
    public static final byte LOCAL_DATE = 45;
    /** A {@link java.time.LocalTime}. */
    public static final byte LOCAL_TIME = 46;
    /** A {@link java.time.LocalDateTime}. */
    public static final byte LOCAL_DATE_TIME = 47;
    /** A {@link java.time.OffsetDateTime}. */
    public static final byte OFFSET_DATE_TIME = 48;
    /** A {@link java.time.ZonedDateTime}. */
    public static final byte ZONED_DATE_TIME = 49;
    /** A {@link java.time.ZoneId} that is a region. */
    public static final byte ZONE_REGION = 50;
    /** A {@link java.time.ZoneOffset}. */
    public static final byte ZONE_OFFSET = 51;
    /** A {@link java.time.Year}. */
    public static final byte YEAR = 52;
    /** A {@link java.time.YearMonth}. */
    public static final byte YEAR_MONTH = 53;
    /** A {@link java.time.MonthDay}. */
    public static final byte MONTH_DAY = 54;
    /** A {@link java.time.Period}. */
    public static final byte PERIOD = 55;
    /** A {@link java.time.OffsetTime}. */
    public static final byte OFFSET_TIME = 56;

    /** A {@link dev.knitting.SharedBuffer}: number, offset, length. */
    public static final byte SHARED_BUFFER = 57;

    /** Top only: the body holds one value with its own tag. */
    public static final byte STRUCTURE = 64;
    /** Top only: the body holds a tuple of arguments. */
    public static final byte ARGUMENTS = 65;
    /** Top only: a task's exception. */
    public static final byte FAILURE = 66;
    /** Top only: a {@link dev.knitting.KnittingException}; its code is in the first word. */
    public static final byte KNITTING_FAILURE = 67;
    /** Top only: the value stays in a {@link ReferenceTable}; nothing but the call id crosses. */
    public static final byte REFERENCE = 68;

    private PayloadTag() {}

    /** Whether the tag is that of a failure, for {@link ValueCodec#decodeFailure}. */
    public static boolean isFailure(byte tag) {
        return tag == FAILURE || tag == KNITTING_FAILURE;
    }
}

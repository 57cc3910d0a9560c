package dev.knitting.codec;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.SharedBuffer;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Java values to {@link Payload}s and back. Immutable; any number of threads may use it, each with a payload of its own.
 *
 * <h2>What crosses</h2>
 * {@code null}, primitives and their boxes (every bit pattern of NaN), strings (every UTF-16 code unit), enums, records,
 * {@code Optional}s, arrays, {@code ByteBuffer}, {@code MemorySegment}, {@code List}, {@code Set}, {@code Map}, {@code
 * BigInteger}, {@code BigDecimal}, {@code UUID}, {@code URI}, {@code Path}, the values of {@code java.time}, {@code
 * Throwable}, {@link SharedBuffer}, and what a {@link dev.knitting.PayloadCodec} takes. Records, enums, exceptions and codec types of the user
 * must be in the {@link TypeTable}. All other classes are refused by name.
 *
 * <h2>How it arrives</h2>
 * <ul>
 *   <li>A list as a mutable {@code ArrayList}, a set as a {@code LinkedHashSet}, a map as a {@code LinkedHashMap}, in the
 *       order of the original, nulls included. Sorted ones in natural order as {@code TreeSet} and {@code TreeMap}; one
 *       with a comparator is refused.
 *   <li>An array with the component type that it had.
 *   <li>A byte buffer as a heap buffer of the remaining bytes at position 0, with the byte order it had; a memory segment
 *       as a heap segment.
 *   <li>A path on the default file system.
 *   <li>What was reachable twice arrives twice. A cycle is refused, as is a value that is nested too deeply.
 * </ul>
 *
 * <h2>Tiers</h2>
 * Scalars, small strings, {@code UUID}, {@code Instant}, {@code Duration} and enums fit the header words. The body of a
 * longer string, an array of primitives, a buffer or a segment is memory of its own, often the caller's: it must not
 * change until the mailbox has copied it. Anything else is written into the payload's scratch.
 *
 * <h2>Bytes from a hostile peer</h2>
 * A body is copied once before it is looked at. Whatever the bytes are, decoding ends with a value or a {@link
 * KnittingException}, and what it allocates is bounded by a small multiple of the body.
 */
public final class ValueCodec {
    /**
     * Default number of levels. A level takes up to four frames; this many fit a stack of 256 KiB in interpreted code too,
     * with the classes that are loaded at the bottom.
     */
    public static final int DEFAULT_MAX_DEPTH = 128;

    private final TypeTable types;
    private final long maxBytes;
    private final int maxDepth;

    // Racy on purpose: both are immutable, and a worker whose values are all scalars never makes them.
    private @Nullable StructureWriter structureWriter;
    private @Nullable StructureReader structureReader;

    /**
     * A codec with the default number of levels.
     *
     * @param types which types of the user may cross
     * @param maxBytes most bytes that one body may take, from 1
     */
    public ValueCodec(TypeTable types, long maxBytes) {
        this(types, maxBytes, DEFAULT_MAX_DEPTH);
    }

    /**
     * A codec.
     *
     * @param types which types of the user may cross
     * @param maxBytes most bytes that one body may take, from 1; never more than fit a Java array
     * @param maxDepth most levels of collections, arrays, records and optionals in each other
     * @throws IllegalArgumentException if a limit is below 1
     */
    public ValueCodec(TypeTable types, long maxBytes, int maxDepth) {
        if (maxBytes < 1 || maxDepth < 1) {
            throw new IllegalArgumentException("limit below 1: maxBytes=" + maxBytes + ", maxDepth=" + maxDepth);
        }
        this.types = types;
        this.maxBytes = Math.min(maxBytes, ByteWriter.MAX_BYTES);
        this.maxDepth = maxDepth;
    }

    /** Which types of the user may cross. */
    public TypeTable types() {
        return types;
    }

    /**
     * Writes a value.
     *
     * @param value what to write
     * @param into overwritten
     * @throws KnittingException {@code UNSUPPORTED_PAYLOAD} with type and place of what cannot cross, {@code
     *     PAYLOAD_TOO_LARGE} if the body would be longer than the cap; {@code into} is then cleared
     */
    public void encode(@Nullable Object value, Payload into) {
        byte tag = WordCodec.tagOf(value);
        if (tag != WordCodec.NOT_A_WORD) {
            into.setWords(tag, WordCodec.wordOf(value), 0);
        } else {
            encodeOther(java.util.Objects.requireNonNull(value), into);
        }
    }

    private void encodeOther(Object value, Payload into) {
        try {
            if (value instanceof String text) {
                StringCodec.encode(text, into, maxBytes);
            } else if (!BlockCodec.encode(value, into, maxBytes) && !encodeScalar(value, into)) {
                encodeStructure(value, into);
            }
        } catch (Refusal refusal) {
            into.clear();
            throw toException(refusal, value);
        } catch (StackOverflowError e) {
            into.clear();
            throw toException(stackOverflow(e), value);
        }
    }

    private boolean encodeScalar(Object value, Payload into) {
        if (value instanceof Float number) {
            into.setWords(PayloadTag.FLOAT, Float.floatToRawIntBits(number), 0);
        } else if (value instanceof Byte number) {
            into.setWords(PayloadTag.BYTE, number, 0);
        } else if (value instanceof Short number) {
            into.setWords(PayloadTag.SHORT, number, 0);
        } else if (value instanceof Character character) {
            into.setWords(PayloadTag.CHAR, character, 0);
        } else if (value instanceof UUID id) {
            into.setWords(PayloadTag.UUID, id.getMostSignificantBits(), id.getLeastSignificantBits());
        } else if (value instanceof Instant instant) {
            into.setWords(PayloadTag.INSTANT, instant.getEpochSecond(), instant.getNano());
        } else if (value instanceof Duration duration) {
            into.setWords(PayloadTag.DURATION, duration.getSeconds(), duration.getNano());
        } else if (value instanceof Enum<?> constant
                && types.find(constant.getDeclaringClass()) instanceof EnumType type) {
            into.setWords(PayloadTag.ENUM, type.index(), constant.ordinal());
        } else if (value instanceof SharedBuffer buffer) {
            BufferCodec.encode(buffer, into);
        } else {
            return false;
        }
        return true;
    }

    private void encodeStructure(Object value, Payload into) {
        ByteWriter out = into.takeWriter();
        try {
            out.begin(maxBytes);
            structureWriter().write(value, out, maxDepth);
            into.setBody(PayloadTag.STRUCTURE, out.segment(), out.position());
        } finally {
            into.giveBack(out);
        }
    }

    /**
     * Writes a tuple of arguments, such as what a lambda captured.
     *
     * @param values what to write, any number of values
     * @param into overwritten
     * @throws KnittingException as {@link #encode}
     */
    public void encodeAll(@Nullable Object[] values, Payload into) {
        int i = 0;
        ByteWriter out = into.takeWriter();
        try {
            out.begin(maxBytes);
            out.putInt(values.length);
            for (; i < values.length; i++) {
                structureWriter().write(values[i], out, maxDepth);
            }
            into.setBody(PayloadTag.ARGUMENTS, out.segment(), out.position());
        } catch (Refusal refusal) {
            into.clear();
            throw Refusal.in(refusal, "argument[" + i + "]").toException("");
        } catch (StackOverflowError e) {
            into.clear();
            throw Refusal.in(stackOverflow(e), "argument[" + i + "]").toException("");
        } finally {
            into.giveBack(out);
        }
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws KnittingException {@code CORRUPT_PEER} if the payload is none that a correct peer writes, {@code
     *     UNSUPPORTED_PAYLOAD} if code of the user (a record's constructor, a codec) threw
     */
    public @Nullable Object decode(Payload from) {
        return WordCodec.isWord(from.tag) ? WordCodec.decode(from.tag, from.word0) : decodeOther(from);
    }

    private @Nullable Object decodeOther(Payload from) {
        try {
            return switch (from.tag) {
                case PayloadTag.STRING_LATIN1 -> StringCodec.decodeLatin1(from, from.checkedBodyLength());
                case PayloadTag.STRING_UTF16 -> StringCodec.decodeUtf16(from, from.checkedBodyLength());
                case PayloadTag.FLOAT -> Float.intBitsToFloat((int) from.word0);
                case PayloadTag.BYTE -> (byte) from.word0;
                case PayloadTag.SHORT -> (short) from.word0;
                case PayloadTag.CHAR -> (char) from.word0;
                case PayloadTag.UUID -> new UUID(from.word0, from.word1);
                case PayloadTag.INSTANT -> TimeCodec.instant(from.word0, from.word1);
                case PayloadTag.DURATION -> TimeCodec.duration(from.word0, from.word1);
                case PayloadTag.ENUM -> StructureReader.readEnum(types.at(from.word0), from.word1);
                case PayloadTag.STRUCTURE -> decodeStructure(from);
                case PayloadTag.SHARED_BUFFER -> BufferCodec.decode(from);
                default -> decodeBlock(from);
            };
        } catch (Refusal refusal) {
            throw refusal.toException("value");
        } catch (StackOverflowError e) {
            throw stackOverflow(e).toException("value");
        } catch (DateTimeException | ArithmeticException e) {
            throw Refusal.corrupt(e, "not a time", "tag", from.tag).toException("value");
        }
    }

    private Object decodeBlock(Payload from) {
        if (!BlockCodec.isBlock(from.tag)) {
            throw Refusal.corrupt("no such tag", "tag", from.tag);
        }
        return BlockCodec.decode(from.tag, from.body, from.bodyOffset, from.checkedBodyLength(), from.word0);
    }

    private @Nullable Object decodeStructure(Payload from) {
        ByteReader in = from.takeReader();
        try {
            in.begin(from);
            Object value = structureReader().read(in, maxDepth);
            in.checkEnd();
            return value;
        } finally {
            from.giveBack(in);
        }
    }

    /**
     * Reads what {@link #encodeAll} wrote.
     *
     * @return as many values as were written
     * @throws KnittingException as {@link #decode}
     */
    public @Nullable Object[] decodeAll(Payload from) {
        ByteReader in = from.takeReader();
        try {
            if (from.tag != PayloadTag.ARGUMENTS) {
                throw Refusal.corrupt("not a tuple of arguments", "tag", from.tag);
            }
            in.begin(from);
            @Nullable Object[] values = new @Nullable Object[in.checkCount(in.getInt(), 1)];
            for (int i = 0; i < values.length; i++) {
                values[i] = structureReader().read(in, maxDepth);
            }
            in.checkEnd();
            return values;
        } catch (Refusal refusal) {
            throw refusal.toException("arguments");
        } catch (StackOverflowError e) {
            throw stackOverflow(e).toException("arguments");
        } finally {
            from.giveBack(in);
        }
    }

    /**
     * Writes what a task threw, or a {@link KnittingException} of the worker's own, which keeps its code. Never throws: if
     * the throwable's own methods misbehave or it is too large, less of it is written, at worst the name of its class. Up
     * to 512 bytes of body are used whatever the cap.
     *
     * @param failure what to write
     * @param into overwritten
     */
    public void encodeFailure(Throwable failure, Payload into) {
        FailureCodec.encode(failure, into, types, maxBytes);
    }

    /**
     * Reads what {@link #encodeFailure} wrote.
     *
     * @return a {@link dev.knitting.TaskFailedException}, or a {@link KnittingException} with the code it had
     * @throws KnittingException {@code CORRUPT_PEER} if the payload is none that a correct peer writes
     */
    public RuntimeException decodeFailure(Payload from) {
        return FailureCodec.decode(from, types);
    }

    private StructureWriter structureWriter() {
        StructureWriter known = structureWriter;
        if (known == null) {
            known = new StructureWriter(types, maxDepth);
            structureWriter = known;
        }
        return known;
    }

    private StructureReader structureReader() {
        StructureReader known = structureReader;
        if (known == null) {
            known = new StructureReader(types, maxDepth);
            structureReader = known;
        }
        return known;
    }

    private static KnittingException toException(Refusal refusal, Object value) {
        Class<?> type = value.getClass();
        return refusal.toException(
                refusal.code() == ErrorCode.PAYLOAD_TOO_LARGE ? type.getTypeName() : type.getSimpleName());
    }

    private Refusal stackOverflow(StackOverflowError e) {
        return Refusal.userCode(e, "stack overflow in the value", "maxDepth", maxDepth);
    }
}

package dev.knitting.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Values of the JDK without parts of their own, inside structures. Those of {@code java.time} are {@link TimeCodec}'s.
 * Chains of {@code instanceof} and not pattern switches: a pattern switch links a call site at its first use, which would
 * cost a starting worker milliseconds.
 */
final class StandardCodec {
    private StandardCodec() {}

    /** Writes the value with its tag, or returns false if it is none of these. */
    static boolean write(Object value, ByteWriter out) {
        return writeSmall(value, out)
                || writeNumber(value, out)
                || writeName(value, out)
                || writeOptional(value, out)
                || TimeCodec.write(value, out);
    }

    private static boolean writeSmall(Object value, ByteWriter out) {
        if (value instanceof Float number) {
            out.putByte(PayloadTag.FLOAT);
            out.putFloat(number);
        } else if (value instanceof Byte number) {
            out.putByte(PayloadTag.BYTE);
            out.putByte(number);
        } else if (value instanceof Short number) {
            out.putByte(PayloadTag.SHORT);
            out.putShort(number);
        } else if (value instanceof Character character) {
            out.putByte(PayloadTag.CHAR);
            out.putChar(character);
        } else if (value instanceof UUID id) {
            out.putByte(PayloadTag.UUID);
            out.putLong(id.getMostSignificantBits());
            out.putLong(id.getLeastSignificantBits());
        } else {
            return false;
        }
        return true;
    }

    private static boolean writeNumber(Object value, ByteWriter out) {
        // By class and not instanceof: they are not final, and a subclass would arrive as another class.
        if (value.getClass() == BigInteger.class) {
            out.putByte(PayloadTag.BIG_INTEGER);
            putMagnitude((BigInteger) value, out);
        } else if (value.getClass() == BigDecimal.class) {
            BigDecimal number = (BigDecimal) value;
            out.putByte(PayloadTag.BIG_DECIMAL);
            out.putInt(number.scale());
            putMagnitude(number.unscaledValue(), out);
        } else {
            return false;
        }
        return true;
    }

    private static void putMagnitude(BigInteger number, ByteWriter out) {
        byte[] bytes = number.toByteArray();
        out.putLength(bytes.length);
        out.putBytes(bytes, 0, bytes.length);
    }

    @SuppressWarnings("ReferenceEquality") // there is one default file system
    private static boolean writeName(Object value, ByteWriter out) {
        if (value instanceof URI uri) {
            out.putByte(PayloadTag.URI);
            StructureWriter.writeString(uri.toString(), out);
        } else if (value instanceof Path path) {
            if (path.getFileSystem() != FileSystems.getDefault()) {
                throw Refusal.unsupported(
                        "path is not of the default file system",
                        "path",
                        path,
                        "scheme",
                        path.getFileSystem().provider().getScheme());
            }
            out.putByte(PayloadTag.PATH);
            StructureWriter.writeString(PathText.of(path), out);
        } else {
            return false;
        }
        return true;
    }

    private static boolean writeOptional(Object value, ByteWriter out) {
        if (value instanceof OptionalInt optional) {
            out.putByte(PayloadTag.OPTIONAL_INT);
            out.putByte(optional.isPresent() ? 1 : 0);
            out.putInt(optional.orElse(0));
        } else if (value instanceof OptionalLong optional) {
            out.putByte(PayloadTag.OPTIONAL_LONG);
            out.putByte(optional.isPresent() ? 1 : 0);
            out.putLong(optional.orElse(0));
        } else if (value instanceof OptionalDouble optional) {
            out.putByte(PayloadTag.OPTIONAL_DOUBLE);
            out.putByte(optional.isPresent() ? 1 : 0);
            out.putDouble(optional.orElse(0));
        } else {
            return false;
        }
        return true;
    }

    /**
     * What {@link #write} wrote, after its tag.
     *
     * @throws Refusal if the tag is none of this class, or its bytes make no value
     */
    static Object read(byte tag, ByteReader in) {
        return switch (tag) {
            case PayloadTag.FLOAT -> in.getFloat();
            case PayloadTag.BYTE -> in.getByte();
            case PayloadTag.SHORT -> in.getShort();
            case PayloadTag.CHAR -> in.getChar();
            case PayloadTag.UUID -> new UUID(in.getLong(), in.getLong());
            case PayloadTag.BIG_INTEGER -> magnitude(in);
            case PayloadTag.BIG_DECIMAL -> {
                int scale = in.getInt();
                yield new BigDecimal(magnitude(in), scale);
            }
            case PayloadTag.URI -> uri(text(in));
            case PayloadTag.PATH -> path(text(in));
            case PayloadTag.OPTIONAL_INT -> {
                boolean isPresent = in.getBoolean();
                int value = in.getInt();
                yield isPresent ? OptionalInt.of(value) : OptionalInt.empty();
            }
            case PayloadTag.OPTIONAL_LONG -> {
                boolean isPresent = in.getBoolean();
                long value = in.getLong();
                yield isPresent ? OptionalLong.of(value) : OptionalLong.empty();
            }
            case PayloadTag.OPTIONAL_DOUBLE -> {
                boolean isPresent = in.getBoolean();
                double value = in.getDouble();
                yield isPresent ? OptionalDouble.of(value) : OptionalDouble.empty();
            }
            default -> TimeCodec.read(tag, in);
        };
    }

    private static BigInteger magnitude(ByteReader in) {
        int length = in.checkCount(in.getLength(), 1);
        if (length == 0) {
            throw Refusal.corrupt("number without digits");
        }
        byte[] bytes = new byte[length];
        in.getBytes(bytes);
        try {
            return new BigInteger(bytes);
        } catch (ArithmeticException e) {
            throw Refusal.corrupt(e, "number too large", "bytes", length);
        }
    }

    /** A string with its tag. */
    static String text(ByteReader in) {
        byte tag = in.getByte();
        if (tag == PayloadTag.STRING_LATIN1) {
            return in.getLatin1(in.getLength());
        }
        if (tag == PayloadTag.STRING_UTF16) {
            return in.getUtf16(in.getLength());
        }
        throw Refusal.corrupt("not a string", "tag", tag);
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw Refusal.corrupt(e, "not a URI", "length", text.length());
        }
    }

    private static Path path(String text) {
        try {
            return PathText.parse(text);
        } catch (InvalidPathException e) {
            // Not always the peer's fault: its default file system may have taken a name that this one does not.
            throw Refusal.userCode(e, "not a path here", "length", text.length());
        }
    }
}

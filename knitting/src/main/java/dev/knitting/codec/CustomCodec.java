package dev.knitting.codec;

import dev.knitting.PayloadCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.OutputStream;

/**
 * Values of the user's codecs, framed by their length: a codec can neither read beyond its own bytes nor leave some for
 * the next value.
 */
final class CustomCodec {
    private CustomCodec() {}

    static void write(CodecType type, Object value, ByteWriter out) {
        PayloadCodec<Object> codec = type.codec();
        out.putByte(PayloadTag.CUSTOM);
        out.putLength(type.index());
        int lengthAt = out.position();
        out.putInt(0);
        try {
            codec.write(value, new DataOutputStream(new WriterStream(out)));
        } catch (Exception e) { // user code may throw anything
            if (e instanceof Refusal refusal) {
                throw refusal; // over the cap
            }
            throw Refusal.userCode(
                    e,
                    "codec failed to write",
                    "codec",
                    codec.getClass().getName(),
                    "thrown",
                    e.getClass().getName());
        }
        out.patchInt(lengthAt, out.position() - lengthAt - Integer.BYTES);
    }

    static Object read(CodecType type, ByteReader in) {
        PayloadCodec<Object> codec = type.codec();
        DataInputStream input = in.getStream(in.getInt());
        Object value;
        int left;
        try {
            value = codec.read(input);
            left = input.available();
        } catch (Exception e) { // user code may throw anything
            throw Refusal.userCode(
                    e,
                    "codec failed to read",
                    "codec",
                    codec.getClass().getName(),
                    "thrown",
                    e.getClass().getName());
        }
        if (left != 0) {
            throw Refusal.unsupported(
                    "codec left bytes unread", "codec", codec.getClass().getName(), "bytes", left);
        }
        if (!type.type().isInstance(value)) {
            throw Refusal.unsupported(
                    "codec read a wrong value", "codec", codec.getClass().getName(), "type", type);
        }
        return value;
    }

    /** What a codec writes goes straight into the scratch. */
    private static final class WriterStream extends OutputStream {
        private final ByteWriter out;

        WriterStream(ByteWriter out) {
            this.out = out;
        }

        @Override
        public void write(int value) {
            out.putByte(value);
        }

        @Override
        public void write(byte[] source, int from, int length) {
            out.putBytes(source, from, length);
        }
    }
}

package dev.knitting.codec;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Strings at the top of a payload: up to 32 bytes in the header words, else a body. One byte a character where all are up
 * to 0xFF, else the UTF-16 code units as they are, in native byte order: nothing is lost and nothing is transcoded.
 */
final class StringCodec {
    private StringCodec() {}

    static void encode(String text, Payload into, long limit) {
        boolean isLatin1 = Text.isLatin1(text);
        byte tag = isLatin1 ? PayloadTag.STRING_LATIN1 : PayloadTag.STRING_UTF16;
        long length = isLatin1 ? text.length() : 2L * text.length();
        if (length <= Payload.HEADER_BYTES) {
            packIntoWords(text, isLatin1, (int) length, tag, into);
            return;
        }
        if (length > limit) {
            throw Refusal.tooLarge(length, limit);
        }
        MemorySegment body = isLatin1
                ? MemorySegment.ofArray(text.getBytes(StandardCharsets.ISO_8859_1))
                : MemorySegment.ofArray(text.toCharArray());
        into.setBody(tag, body, length);
    }

    private static void packIntoWords(String text, boolean isLatin1, int length, byte tag, Payload into) {
        ByteWriter out = into.takeWriter();
        out.beginWords();
        if (isLatin1) {
            out.putLatin1(text);
        } else {
            out.putUtf16(text);
        }
        into.setWords(tag, out.wordAt(0), out.wordAt(8));
        into.word2 = out.wordAt(16);
        into.word3 = out.wordAt(24);
        into.headerLength = length;
        into.giveBack(out);
    }

    static String decodeLatin1(Payload from, int bodyLength) {
        MemorySegment body = from.body;
        if (body == null || bodyLength == 0) {
            return decodeWords(from, true);
        }
        ByteReader in = from.takeReader();
        in.begin(body, from.bodyOffset, bodyLength);
        String text = in.getLatin1(bodyLength);
        from.giveBack(in);
        return text;
    }

    static String decodeUtf16(Payload from, int bodyLength) {
        MemorySegment body = from.body;
        if (body == null || bodyLength == 0) {
            return decodeWords(from, false);
        }
        return new String(BlockCodec.chars(body, from.bodyOffset, bodyLength));
    }

    private static String decodeWords(Payload from, boolean isLatin1) {
        int length = from.headerLength;
        if (length < 0 || length > Payload.HEADER_BYTES) {
            throw Refusal.corrupt("header is longer than it can be", "length", length);
        }
        ByteReader in = from.takeReader();
        in.begin(from.word0, from.word1, from.word2, from.word3);
        String text = isLatin1 ? in.getLatin1(length) : in.getUtf16(length / Character.BYTES);
        from.giveBack(in);
        return text;
    }
}

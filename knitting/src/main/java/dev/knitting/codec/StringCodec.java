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
        ByteWriter out = into.writer();
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
    }

    static String decodeLatin1(Payload from, int bodyLength) {
        MemorySegment body = from.body;
        if (body == null || bodyLength == 0) {
            return beginHeader(from).getLatin1(from.headerLength);
        }
        ByteReader in = from.reader();
        in.begin(body, from.bodyOffset, bodyLength);
        return in.getLatin1(bodyLength);
    }

    static String decodeUtf16(Payload from, int bodyLength) {
        MemorySegment body = from.body;
        if (body == null || bodyLength == 0) {
            return beginHeader(from).getUtf16(from.headerLength / Character.BYTES);
        }
        return new String(BlockCodec.chars(body, from.bodyOffset, bodyLength));
    }

    private static ByteReader beginHeader(Payload from) {
        if (from.headerLength < 0 || from.headerLength > Payload.HEADER_BYTES) {
            throw Refusal.corrupt("header is longer than it can be", "length", from.headerLength);
        }
        ByteReader in = from.reader();
        in.begin(from.word0, from.word1, from.word2, from.word3);
        return in;
    }
}

package dev.knitting.codec;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One value on its way through a mailbox: what {@code ValueCodec.encode} fills and {@code ValueCodec.decode} reads. A
 * reused scratch; belongs to one thread at a time.
 *
 * <p>A value that fits the header line lies in the four words and {@link #bodyLength} is 0. Otherwise its bytes are
 * {@code body[bodyOffset, bodyOffset + bodyLength)}: when encoding, either this object's scratch or, for block copies, the
 * caller's own array, so that they are copied once; when decoding, a private copy of the slot's inline bytes or a span
 * of an arena that a hostile peer may still be writing (every byte of it is read once).
 *
 * <p>The mailbox decides by {@link #bodyLength} alone whether the body goes inline or to an arena.
 */
public final class Payload {
    /** Most bytes that the header words hold. */
    public static final int HEADER_BYTES = 32;

    /** What the words and the body mean: a constant of {@code PayloadTag}. */
    public byte tag;
    /** Bytes of the header words in use when they hold packed bytes (small strings), else 0; 0 to 32. */
    public int headerLength;
    /** First header word. */
    public long word0;
    /** Second header word. */
    public long word1;
    /** Third header word. */
    public long word2;
    /** Fourth header word. */
    public long word3;
    /** The bytes beyond the header, or null when {@link #bodyLength} is 0. */
    public @Nullable MemorySegment body;
    /** Where the body starts in {@link #body}, in bytes. */
    public long bodyOffset;
    /** Length of the body in bytes. */
    public long bodyLength;

    /** The call's shared buffers, or null where none can cross. Set by whoever encodes or decodes for a call. */
    public @Nullable BufferAccess buffers;

    private @Nullable ByteWriter writer;
    private @Nullable ByteReader reader;

    /**
     * Takes the scratch that structured values are written into; to be given back. Meanwhile code of the user runs, which
     * may come back here with another value on the same thread: it then gets a scratch of its own.
     */
    ByteWriter takeWriter() {
        ByteWriter taken = writer;
        writer = null;
        if (taken == null) {
            taken = new ByteWriter();
        }
        taken.buffers = buffers;
        return taken;
    }

    void giveBack(ByteWriter taken) {
        taken.buffers = null;
        writer = taken;
    }

    /** Takes the scratch that structured values are read from; as {@link #takeWriter}. */
    ByteReader takeReader() {
        ByteReader taken = reader;
        reader = null;
        if (taken == null) {
            taken = new ByteReader();
        }
        taken.buffers = buffers;
        return taken;
    }

    void giveBack(ByteReader taken) {
        taken.buffers = null;
        reader = taken;
    }

    /**
     * The length of the body.
     *
     * @return a length such that the body lies in its memory and fits a Java array
     * @throws Refusal if it does not
     */
    int checkedBodyLength() {
        long length = bodyLength;
        MemorySegment memory = body;
        long capacity = memory == null ? 0 : memory.byteSize();
        if (length < 0 || length > ByteWriter.MAX_BYTES || bodyOffset < 0 || bodyOffset > capacity - length) {
            throw Refusal.corrupt(
                    "body lies outside its memory", "offset", bodyOffset, "length", length, "capacity", capacity);
        }
        return (int) length;
    }

    /** Sets tag and first words; no packed bytes, no body. */
    void setWords(byte newTag, long first, long second) {
        tag = newTag;
        headerLength = 0;
        word0 = first;
        word1 = second;
        word2 = 0;
        word3 = 0;
        body = null;
        bodyOffset = 0;
        bodyLength = 0;
    }

    /** Sets tag and body; an empty body leaves {@link #body} null. */
    void setBody(byte newTag, MemorySegment segment, long length) {
        setWords(newTag, 0, 0);
        body = length == 0 ? null : segment;
        bodyLength = length;
    }

    /**
     * Forgets the value, so that nothing of it is kept alive. Of the scratch, up to 64 KiB in each direction stay for the
     * next value.
     */
    public void clear() {
        ByteWriter usedWriter = writer;
        if (usedWriter != null) {
            usedWriter.trim();
        }
        ByteReader usedReader = reader;
        if (usedReader != null) {
            usedReader.trim();
        }
        tag = 0;
        headerLength = 0;
        word0 = 0;
        word1 = 0;
        word2 = 0;
        word3 = 0;
        body = null;
        bodyOffset = 0;
        bodyLength = 0;
    }
}

package dev.knitting.codec;

import java.util.Arrays;

/** Spans sorted by offset, in two parallel arrays: compact, and nothing is allocated per span. Not thread-safe. */
final class SpanList {
    private static final int INITIAL_SPANS = 16;

    private long[] offsets = new long[INITIAL_SPANS];
    private long[] lengths = new long[INITIAL_SPANS];
    private int size;

    int size() {
        return size;
    }

    long offset(int index) {
        return offsets[index];
    }

    long length(int index) {
        return lengths[index];
    }

    /** Index of the lowest span of at least this length, or -1. */
    int firstOfLength(long length) {
        for (int i = 0; i < size; i++) {
            if (lengths[i] >= length) {
                return i;
            }
        }
        return -1;
    }

    /** Index of the span that starts at the offset, or a negative number. */
    int find(long offset) {
        return Arrays.binarySearch(offsets, 0, size, offset);
    }

    /** Where a span with this offset belongs; no span has it yet. */
    int insertionPoint(long offset) {
        return -find(offset) - 1;
    }

    void insert(int index, long offset, long length) {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, size * 2);
            lengths = Arrays.copyOf(lengths, size * 2);
        }
        System.arraycopy(offsets, index, offsets, index + 1, size - index);
        System.arraycopy(lengths, index, lengths, index + 1, size - index);
        offsets[index] = offset;
        lengths[index] = length;
        size++;
    }

    void remove(int index) {
        size--;
        System.arraycopy(offsets, index + 1, offsets, index, size - index);
        System.arraycopy(lengths, index + 1, lengths, index, size - index);
    }

    /** Takes the first bytes of a span away, the whole span if it is as long. */
    void cutFront(int index, long length) {
        if (lengths[index] == length) {
            remove(index);
            return;
        }
        offsets[index] += length;
        lengths[index] -= length;
    }

    /** Inserts a span and joins it with the neighbours that it touches. */
    void insertJoined(long offset, long length) {
        int next = insertionPoint(offset);
        boolean touchesPrevious = next > 0 && offsets[next - 1] + lengths[next - 1] == offset;
        boolean touchesNext = next < size && offset + length == offsets[next];
        if (touchesPrevious) {
            lengths[next - 1] += length;
            if (touchesNext) {
                lengths[next - 1] += lengths[next];
                remove(next);
            }
        } else if (touchesNext) {
            offsets[next] = offset;
            lengths[next] += length;
        } else {
            insert(next, offset, length);
        }
    }
}

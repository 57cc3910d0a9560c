package dev.knitting.bench.peer;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is called: an operation with a payload of a fixed size. */
public enum Op {
    /** One blocking call: a long, plus one. */
    INC_SYNC("inc-sync", 8, 1),
    /** A long, plus one. */
    INC("inc", 8, 1000),
    /** A byte array of 8 bytes comes back with its first and last byte changed. */
    BYTES8("bytes8", 8, 1000),
    /** As {@link #BYTES8}, 1 KiB. */
    BYTES1K("bytes1k", 1 << 10, 1000),
    /** As {@link #BYTES8}, 64 KiB. */
    BYTES64K("bytes64k", 64 << 10, 100),
    /** As {@link #BYTES8}, 1 MiB. */
    BYTES1M("bytes1m", 1 << 20, 10),
    /** A Latin-1 string of 1 Mi characters comes back. */
    STRING1M("string1m", 1 << 20, 10),
    /** A record of about 250 bytes comes back with two fields changed. */
    ORDER("order", 250, 1000);

    private final String label;
    private final int payloadBytes;
    private final int largestBatch;

    Op(String label, int payloadBytes, int largestBatch) {
        this.label = label;
        this.payloadBytes = payloadBytes;
        this.largestBatch = largestBatch;
    }

    /** The name used on the command line and in reports. */
    public String label() {
        return label;
    }

    /** Bytes of one argument, about the same as of one result. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** The batch sizes measured unless told otherwise. */
    public List<Integer> defaultBatches() {
        return Stream.of(1, 10, 100, 1000)
                .filter(batch -> batch <= largestBatch)
                .toList();
    }

    /** The operation with this label, or null if there is none. */
    public static @Nullable Op find(String label) {
        for (Op op : values()) {
            if (op.label.equals(label)) {
                return op;
            }
        }
        return null;
    }
}

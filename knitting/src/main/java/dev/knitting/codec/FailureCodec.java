package dev.knitting.codec;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.TaskFailedException;

/** Failures as payloads of their own: what a task threw, or an exception of the pool's own with its code. */
final class FailureCodec {
    /** Most bytes of a body, whatever the cap allows. */
    private static final int MAX_BYTES = 64 << 10;
    /** Bytes of a body that are always allowed: as many as a slot holds inline. */
    private static final int LEAST_BYTES = 512;

    private FailureCodec() {}

    /** Writes as much of the failure as can be written; never throws. */
    static void encode(Throwable failure, Payload into, TypeTable types, long maxBytes) {
        try {
            encode(failure, into, types, maxBytes, FailureWriter.MAX_CAUSES);
        } catch (Throwable e) { // out of scratch or of stack: try with less
            encodeShort(failure, into, types, maxBytes);
        }
    }

    private static void encodeShort(Throwable failure, Payload into, TypeTable types, long maxBytes) {
        try {
            encode(failure, into, types, maxBytes, 0);
        } catch (Throwable e) { // not even that: the tag alone says that the task failed
            into.clear();
            into.tag = PayloadTag.FAILURE;
        }
    }

    private static void encode(Throwable failure, Payload into, TypeTable types, long maxBytes, int causes) {
        ByteWriter out = into.takeWriter();
        try {
            out.begin(Math.max(LEAST_BYTES, Math.min(maxBytes, MAX_BYTES)));
            new FailureWriter(types, out).write(failure, causes);
            if (failure instanceof KnittingException own && !(failure instanceof TaskFailedException)) {
                into.setBody(PayloadTag.KNITTING_FAILURE, out.segment(), out.position());
                into.word0 = own.code().number();
            } else {
                into.setBody(PayloadTag.FAILURE, out.segment(), out.position());
            }
        } finally {
            into.giveBack(out);
        }
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws KnittingException {@code CORRUPT_PEER} if the payload is none that a correct peer writes
     */
    static RuntimeException decode(Payload from, TypeTable types) {
        ByteReader in = from.takeReader();
        try {
            if (!PayloadTag.isFailure(from.tag)) {
                throw Refusal.corrupt("not a failure", "tag", from.tag);
            }
            if (from.bodyLength == 0) {
                return new TaskFailedException(
                        "unknown", "the failure could not be written", new StackTraceElement[0], null);
            }
            in.begin(from);
            FailureReader reader = new FailureReader(types, in);
            RuntimeException failure = from.tag == PayloadTag.FAILURE
                    ? reader.readTaskFailure()
                    : reader.readKnittingFailure(codeOf(from.word0));
            in.checkEnd();
            return failure;
        } catch (Refusal refusal) {
            throw refusal.toException("failure");
        } finally {
            from.giveBack(in);
        }
    }

    private static ErrorCode codeOf(long number) {
        try {
            return ErrorCode.of(Math.toIntExact(number));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw Refusal.corrupt(e, "no such error code", "number", number);
        }
    }
}

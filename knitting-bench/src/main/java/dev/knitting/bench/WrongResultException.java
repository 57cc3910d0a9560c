package dev.knitting.bench;

import org.jspecify.annotations.Nullable;

/** A peer answered something else than its task would have: its figures mean nothing, so the run ends. */
public final class WrongResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongResultException(
            String peer, Workload workload, int index, @Nullable Object expected, @Nullable Object actual) {
        super("wrong result: peer=" + peer + ", op=" + workload.op().label() + ", batch=" + workload.batch()
                + ", index=" + index + ", expected=" + expected + ", actual=" + actual);
    }
}

package dev.knitting.fault;

import java.io.Serial;

/** Thrown at a {@link FaultPoint} on purpose. */
public final class InjectedFault extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    InjectedFault(FaultPoint point) {
        super("injected fault: point=" + point);
    }
}

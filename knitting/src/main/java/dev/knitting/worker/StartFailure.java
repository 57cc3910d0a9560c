package dev.knitting.worker;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.mailbox.LaneView;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Why a worker did not get ready, as the host reads it. */
public final class StartFailure {
    private StartFailure() {}

    /** Leaves code and text in the lane; the caller then stores the state. A cause is told with its stack. */
    public static void tell(Throwable failure, LaneView lane) {
        StringWriter text = new StringWriter();
        int code = failure instanceof OutOfMemoryError
                ? ErrorCode.OUT_OF_MEMORY.number()
                : ErrorCode.STARTUP_FAILED.number();
        if (failure instanceof KnittingException known) {
            code = known.code().number();
            text.write(String.valueOf(known.getMessage()));
            if (known.getCause() != null) {
                text.write("\nCaused by: ");
                known.getCause().printStackTrace(new PrintWriter(text, true));
            }
        } else {
            failure.printStackTrace(new PrintWriter(text, true));
        }
        lane.errorPlain(code, text.toString());
    }
}

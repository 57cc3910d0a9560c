package dev.knitting.mailbox;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;

/**
 * One abort record of a lane. A lane has {@value #RECORDS} of them, as many as calls can be open in it: the record of a
 * call is found by its id, so that a call takes none until somebody wants it to stop, and none can be lacking. The record
 * names the call in full: an abort that comes late meets nobody.
 *
 * <pre>
 *   byte 0         8        12       16                      64
 *        +---------+--------+--------+-----------...---------+
 *        | callId  |  what  | length |       reason          |
 *        +---------+--------+--------+-----------...---------+
 * </pre>
 *
 * <ul>
 *   <li>{@code callId}: id + 1 of the call, stored last; 0 if there never was one; edge [aborted].
 *   <li>{@code what}: {@link #ABORT}, {@link #INTERRUPT}, {@link #SKIP}; grows while the id stays.
 *   <li>{@code length}, {@code reason}: UTF-8, written once, before the id; cut to what fits.
 * </ul>
 *
 * <p>Written by the host only, one thread at a time. The offsets are literals: a worker never loads the layout.
 */
public final class AbortLayout {
    /** A record as a struct. */
    public static final StructLayout LAYOUT = structLayout(
                    JAVA_LONG.withName("callId"),
                    JAVA_INT.withName("what"),
                    JAVA_INT.withName("length"),
                    paddingLayout(48).withName("reason"))
            .withName("abort");

    /** Records of a lane; a power of two. */
    public static final int RECORDS = 256;
    /** Distance between records: a cache line. */
    public static final long STRIDE_BYTES = 64;
    /** Length of all records of a lane. */
    public static final long RECORDS_BYTES = RECORDS * STRIDE_BYTES;
    /** Most bytes of a reason that reach the worker. */
    public static final int REASON_BYTES = 48;

    /** The flag that a task sees is raised. */
    public static final int ABORT = 1;
    /** The thread that runs the call is interrupted. */
    public static final int INTERRUPT = 1 << 1;
    /** A call that was not entered yet does not run at all. */
    public static final int SKIP = 1 << 2;

    static final long CALL_ID_OFFSET = 0;
    static final long WHAT_OFFSET = 8;
    static final long LENGTH_OFFSET = 12;
    static final long REASON_OFFSET = 16;

    private AbortLayout() {}
}

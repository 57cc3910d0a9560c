package dev.knitting.mailbox;

import dev.knitting.memory.BufferWords;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The abort records of one lane. Accessor names end in their memory order. */
public final class AbortView {
    private final ByteBuffer words;

    /**
     * A view of a lane's abort records.
     *
     * @param window the lane's window, see {@link LaneView#window}
     */
    public AbortView(ByteBuffer window) {
        this.words = window;
    }

    private static long recordOf(long callId) {
        return LaneLayout.ABORTS_OFFSET + (callId & AbortLayout.RECORDS - 1) * AbortLayout.STRIDE_BYTES;
    }

    /**
     * What the host wants of a call: bits of {@link AbortLayout}, 0 if nothing. The record may speak of another call that
     * shares it; what it says of that one is not looked at.
     */
    public int whatAcquire(long callId) {
        long at = recordOf(callId);
        // [aborted: acquire] the reason is read after this load
        if (BufferWords.getLongAcquire(words, at + AbortLayout.CALL_ID_OFFSET) != callId + 1) {
            return 0;
        }
        int what = BufferWords.getIntAcquire(words, at + AbortLayout.WHAT_OFFSET);
        // A record changes hands only when its call has ended: somebody who asks late must not hear of the next one.
        return BufferWords.getLongAcquire(words, at + AbortLayout.CALL_ID_OFFSET) == callId + 1 ? what : 0;
    }

    /** Why the call shall stop, or an empty text; after {@link #whatAcquire} said that it shall. */
    public String reasonPlain(long callId) {
        long at = recordOf(callId);
        int length = BufferWords.getIntPlain(words, at + AbortLayout.LENGTH_OFFSET);
        byte[] bytes = new byte[Math.clamp(length, 0, AbortLayout.REASON_BYTES)];
        words.get((int) (at + AbortLayout.REASON_OFFSET), bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Wants a call to stop. One thread at a time for each lane; the call must be open in it.
     *
     * @param what bits of {@link AbortLayout}, added to those of an earlier request for the same call
     * @param reason for the task; the first one counts
     */
    public void requestRelease(long callId, int what, String reason) {
        long at = recordOf(callId);
        if (BufferWords.getLongPlain(words, at + AbortLayout.CALL_ID_OFFSET) == callId + 1) {
            int before = BufferWords.getIntPlain(words, at + AbortLayout.WHAT_OFFSET);
            // [aborted: release] as below; the id and the reason stay
            BufferWords.setIntRelease(words, at + AbortLayout.WHAT_OFFSET, before | what);
            return;
        }
        byte[] bytes = Utf8.cut(reason, AbortLayout.REASON_BYTES);
        // The earlier call has ended; who still asks for it finds nothing, or at worst a wrong reason.
        BufferWords.setLongRelease(words, at + AbortLayout.CALL_ID_OFFSET, 0);
        BufferWords.setIntRelease(words, at + AbortLayout.WHAT_OFFSET, what);
        BufferWords.setIntPlain(words, at + AbortLayout.LENGTH_OFFSET, bytes.length);
        words.put((int) (at + AbortLayout.REASON_OFFSET), bytes);
        // [aborted: release] what is wanted, and why, is stored before this
        BufferWords.setLongRelease(words, at + AbortLayout.CALL_ID_OFFSET, callId + 1);
    }
}

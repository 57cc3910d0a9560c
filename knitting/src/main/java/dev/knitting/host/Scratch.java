package dev.knitting.host;

import dev.knitting.codec.Payload;

/**
 * Reused {@link Payload}s. Each platform thread keeps one; a virtual thread, or a thread whose own is in use (user code
 * called while encoding may call the pool), gets a new one.
 */
final class Scratch {
    private static final ThreadLocal<Scratch> OWN = ThreadLocal.withInitial(Scratch::new);

    final Payload payload = new Payload();
    private boolean busy;

    private Scratch() {}

    static Scratch acquire() {
        if (Thread.currentThread().isVirtual()) {
            return new Scratch();
        }
        Scratch own = OWN.get();
        if (own.busy) {
            return new Scratch();
        }
        own.busy = true;
        return own;
    }

    void release() {
        payload.body = null; // may be the caller's own array: not to be kept alive
        payload.buffers = null;
        busy = false;
    }
}

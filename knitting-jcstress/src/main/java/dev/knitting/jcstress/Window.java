package dev.knitting.jcstress;

import java.lang.invoke.VarHandle;

/** What makes the window of a broken twin wide enough to be hit. */
final class Window {
    private Window() {}

    /** Lets the stores before it become visible, and some time pass, before the loads after it. */
    static void open() {
        VarHandle.fullFence();
        Thread.onSpinWait();
        VarHandle.fullFence();
    }
}

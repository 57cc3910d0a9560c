package dev.knitting.doorbell;

import java.io.IOException;

/** How the sleeper behind a bell is woken once its word was moved to SIGNALLED. Any thread. */
public interface BellRinger {
    /**
     * Wakes the sleeper.
     *
     * @throws IOException if the ring could not be delivered
     */
    void wake() throws IOException;
}

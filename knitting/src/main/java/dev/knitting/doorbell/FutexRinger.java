package dev.knitting.doorbell;

import dev.knitting.memory.Futex;

/** Wakes by futex. All sleepers on the word: a displaced leader may still be among them. */
public final class FutexRinger implements BellRinger {
    private final long address;

    /** @param address of the sleeper's word in this process */
    public FutexRinger(long address) {
        this.address = address;
    }

    @Override
    public void wake() {
        Futex.wake(address, Integer.MAX_VALUE);
    }
}

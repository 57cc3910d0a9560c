package dev.knitting;

/**
 * What the code in a pool's workers may do. Stated for a pool by {@link PoolBuilder#sandbox}.
 *
 * <p>A pool for which none is stated runs its tasks unrestricted, as the JDK would: they are the host's own code. One
 * that runs other code, see {@link PoolBuilder#classPath}, must state one.
 */
public final class Sandbox {
    private static final Sandbox NONE = new Sandbox();

    private Sandbox() {}

    /** No restriction: the code in the workers may do what the host may do. To be said aloud, for code you trust. */
    public static Sandbox none() {
        return NONE;
    }

    @Override
    public String toString() {
        return "none";
    }
}

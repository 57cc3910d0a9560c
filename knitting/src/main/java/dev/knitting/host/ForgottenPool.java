package dev.knitting.host;

import java.lang.ref.Cleaner;

/**
 * Closes a pool that nobody can reach any more: its threads and workers hold each other, but not the {@link DefaultPool}
 * that users see. Calls that were submitted are finished first: somebody may hold the call and not the pool.
 *
 * <p>INV: nothing that the engine holds leads to the pool, else it is never forgotten.
 */
final class ForgottenPool implements Runnable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final String name;
    private final Dispatcher dispatcher;
    private final Engine engine;

    private ForgottenPool(String name, Dispatcher dispatcher, Engine engine) {
        this.name = name;
        this.dispatcher = dispatcher;
        this.engine = engine;
    }

    /** Has the pool closed when it is forgotten. Without effect on one that was closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is registered for good: there is nothing to undo
    static void watch(DefaultPool pool, String name, Dispatcher dispatcher, Engine engine) {
        CLEANER.register(pool, new ForgottenPool(name, dispatcher, engine));
    }

    /** On the cleaner's thread, which others wait for: closing takes as long as the calls do. */
    @Override
    public void run() {
        if (dispatcher.isClosed()) {
            return;
        }
        Thread closing = new Thread(null, this::close, "knitting-forgotten-" + name, 0, false);
        closing.setDaemon(true);
        closing.start();
    }

    private void close() {
        System.getLogger("dev.knitting")
                .log(System.Logger.Level.WARNING, "a pool was never closed, and is closed now: pool={0}", name);
        engine.close(Completion.NO_DEADLINE);
    }
}

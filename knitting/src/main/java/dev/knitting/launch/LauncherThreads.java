package dev.knitting.launch;

/** Makes the threads of this package: daemons that keep nothing of the thread that made them. */
final class LauncherThreads {
    /** They read, wait and call a listener; logging needs the most. */
    private static final long STACK_BYTES = 512 * 1024;

    private LauncherThreads() {}

    static Thread start(String name, Runnable work) {
        Thread thread = create(name, work);
        thread.start();
        return thread;
    }

    static Thread create(String name, Runnable work) {
        // No inherited thread locals and no inherited loader: they would pin whatever application opened the pool.
        Thread thread = new Thread(null, work, name, STACK_BYTES, false);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        thread.setDaemon(true);
        return thread;
    }
}

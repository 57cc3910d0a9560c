package dev.knitting.launch;

/** Receives what workers print, line by line. */
@FunctionalInterface
public interface LineListener {
    /**
     * One line of a worker's standard output or standard error. Called on one thread per pool, in the order of each
     * worker's output; a listener that blocks loses lines but holds up no worker.
     *
     * @param pool the pool's name
     * @param worker the worker's index
     * @param line without its line end; lines beyond 8 KiB come in pieces
     */
    void onLine(String pool, int worker, String line);
}

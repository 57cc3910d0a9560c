package dev.knitting;

/** Receives what process workers print, line by line. */
@FunctionalInterface
public interface OutputListener {
    /**
     * One line of a worker's standard output or standard error. Called on one thread per pool, in the order of each
     * worker's output. Should not block: after a megabyte of waiting lines further ones are dropped, counted and
     * reported in a line of their own; a worker is held up for 20 ms at most.
     *
     * @param pool the pool's name
     * @param worker the worker's index, from 0
     * @param line without its line end; lines beyond 8 KiB come in pieces
     */
    void onLine(String pool, int worker, String line);

    /** Prints the lines on this program's standard output, as they are. */
    static OutputListener inherit() {
        return (pool, worker, line) -> System.out.println(line);
    }
}

package dev.knitting;

/** How workers come to the memory that a pool shares with them. */
public enum Memory {
    /** {@link #INHERITED} where the platform and native access allow it, else {@link #PORTABLE}. */
    AUTOMATIC,
    /**
     * Anonymous memory (Linux {@code memfd}), inherited by the child as file descriptor 0: no name to guess or to leak,
     * cannot be truncated. Needs native access.
     */
    INHERITED,
    /** A file with an unguessable name in {@code /dev/shm} or a given directory, for wrappers that replace stdin. */
    NAMED,
    /** A mapped file in the temporary directory; no native access, any platform, socket doorbells only. */
    PORTABLE
}

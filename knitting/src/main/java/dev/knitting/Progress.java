package dev.knitting;

import org.jspecify.annotations.Nullable;

/**
 * How far a running task is, as it says itself.
 *
 * @param done units of work that are done
 * @param total units of work in all; 0 or less if unknown
 * @param note what it is at, or null; in a process the first 512 bytes of its UTF-8 form arrive
 */
public record Progress(long done, long total, @Nullable String note) {}

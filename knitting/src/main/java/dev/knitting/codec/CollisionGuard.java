package dev.knitting.codec;

import org.jspecify.annotations.Nullable;

/**
 * Notices a large set or map whose keys were made to collide: a peer that sends a few megabytes of them would keep the
 * reader busy for hours. Counts keys by the same bits of the hash that a hash table of that size uses.
 */
final class CollisionGuard {
    /** Fewer elements than this cannot do harm, however they collide. */
    private static final int HARMLESS_ELEMENTS = 4096;
    /** Colliding keys that any hash function may have. */
    private static final int HARMLESS_COLLISIONS = 1024;

    private static final int CELLS = 1 << 16;

    /** Made at the first key: a peer that only claims to send some, level in level, costs nothing. */
    private int @Nullable [] cells;

    private final int limit;

    private CollisionGuard(int elements) {
        limit = HARMLESS_COLLISIONS + 8 * (elements / CELLS);
    }

    /** A guard for a collection of so many elements, or null if it needs none. */
    static @Nullable CollisionGuard of(int elements) {
        return elements <= HARMLESS_ELEMENTS ? null : new CollisionGuard(elements);
    }

    /**
     * Counts a key.
     *
     * @throws Refusal if too many share its place
     */
    void check(@Nullable Object key) {
        int hash = key == null ? 0 : key.hashCode();
        int cell = (hash ^ (hash >>> 16)) & (CELLS - 1);
        int[] counts = cells;
        if (counts == null) {
            counts = new int[CELLS];
            cells = counts;
        }
        counts[cell]++;
        if (counts[cell] > limit) {
            throw Refusal.corrupt("keys collide", "count", counts[cell], "limit", limit);
        }
    }
}

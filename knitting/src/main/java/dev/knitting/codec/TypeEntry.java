package dev.knitting.codec;

/** A type of a {@link TypeTable}: what crosses in place of its name is its index. */
abstract sealed class TypeEntry permits RecordType, EnumType, ThrowableType, CodecType, AbstractType {
    private static final int HASH_FACTOR = 31;

    private final int index;
    private final Class<?> type;

    TypeEntry(int index, Class<?> type) {
        this.index = index;
        this.type = type;
    }

    final int index() {
        return index;
    }

    final Class<?> type() {
        return type;
    }

    /** Adds to a hash whatever both sides must agree on. */
    abstract int mixInto(int hash);

    static int mix(int hash, String text) {
        return HASH_FACTOR * hash + text.hashCode();
    }

    @Override
    public String toString() {
        return type.getName();
    }
}

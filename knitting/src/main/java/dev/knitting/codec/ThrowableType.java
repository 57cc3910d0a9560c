package dev.knitting.codec;

/** An exception class of the user that the host may have as itself. */
final class ThrowableType extends TypeEntry {
    ThrowableType(int index, Class<?> type) {
        super(index, type);
    }

    @Override
    int mixInto(int hash) {
        return mix(mix(hash, "throwable"), type().getName());
    }
}

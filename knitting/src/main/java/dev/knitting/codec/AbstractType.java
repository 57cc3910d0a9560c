package dev.knitting.codec;

/** An interface or an abstract class: never a value's own type, but an array may have it as its component type. */
final class AbstractType extends TypeEntry {
    AbstractType(int index, Class<?> type) {
        super(index, type);
    }

    @Override
    int mixInto(int hash) {
        return mix(mix(hash, "abstract"), type().getName());
    }
}

package dev.knitting.codec;

import dev.knitting.PayloadCodec;

/** A type that a codec of the user writes and reads. */
final class CodecType extends TypeEntry {
    private final PayloadCodec<Object> codec;

    @SuppressWarnings("unchecked") // the codec only ever gets values whose class is exactly its type
    CodecType(int index, PayloadCodec<?> codec) {
        super(index, codec.type());
        this.codec = (PayloadCodec<Object>) codec;
    }

    PayloadCodec<Object> codec() {
        return codec;
    }

    @Override
    int mixInto(int hash) {
        return mix(mix(hash, type().getName()), codec.getClass().getName());
    }
}

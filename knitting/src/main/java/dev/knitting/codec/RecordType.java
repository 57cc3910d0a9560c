package dev.knitting.codec;

import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/** A record. How it is taken apart and put together is found out when the first one crosses. */
final class RecordType extends TypeEntry {
    // Racy on purpose: two threads may both build it, and all of its fields are final.
    private @Nullable RecordShape shape;

    RecordType(int index, Class<?> type) {
        super(index, type);
    }

    /**
     * Accessors and constructor.
     *
     * @throws Refusal if this module may not use them
     */
    RecordShape shape() {
        RecordShape known = shape;
        if (known == null) {
            known = RecordShape.of(type());
            shape = known;
        }
        return known;
    }

    @Override
    int mixInto(int hash) {
        int mixed = mix(mix(hash, "record"), type().getName());
        for (RecordComponent component : type().getRecordComponents()) {
            mixed = mix(mix(mixed, component.getName()), component.getType().getName());
        }
        return mixed;
    }
}

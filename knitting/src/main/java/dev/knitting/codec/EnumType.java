package dev.knitting.codec;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/** An enum. Its class is initialised when the first constant crosses, not before. */
final class EnumType extends TypeEntry {
    // Racy on purpose: two threads may both ask for the constants and find the same ones.
    private Object @Nullable [] constants;

    EnumType(int index, Class<?> type) {
        super(index, type);
    }

    /**
     * The constant with this ordinal.
     *
     * @throws Refusal if there is none
     */
    Object constant(long ordinal) {
        Object[] known = constants;
        if (known == null) {
            known = type().getEnumConstants();
            constants = known;
        }
        if (ordinal < 0 || ordinal >= known.length) {
            throw Refusal.corrupt("no such enum constant", "type", type().getName(), "ordinal", ordinal);
        }
        return known[(int) ordinal];
    }

    @Override
    int mixInto(int hash) {
        int mixed = mix(mix(hash, "enum"), type().getName());
        for (Field field : type().getDeclaredFields()) { // not getEnumConstants: that would run static initialisers
            if (field.isEnumConstant()) {
                mixed = mix(mixed, field.getName());
            }
        }
        return mixed;
    }
}

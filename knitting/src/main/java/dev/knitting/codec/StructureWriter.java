package dev.knitting.codec;

import dev.knitting.SharedBuffer;
import java.lang.reflect.Array;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value with its tag, and what it holds. Immutable; the scratch comes with each call.
 *
 * <p>{@code room} is how many more levels may be opened. A level is a collection, map, array of references, record or
 * optional; a cycle runs out of levels. A value that is reachable twice is written twice.
 */
final class StructureWriter {
    private final TypeTable types;
    private final int maxDepth;

    StructureWriter(TypeTable types, int maxDepth) {
        this.types = types;
        this.maxDepth = maxDepth;
    }

    void write(@Nullable Object value, ByteWriter out, int room) {
        if (value == null) {
            out.putByte(PayloadTag.NULL);
        } else if (value instanceof String text) {
            writeString(text, out);
        } else if (value instanceof Long number) {
            out.putByte(PayloadTag.LONG);
            out.putLong(number);
        } else if (value instanceof Integer number) {
            out.putByte(PayloadTag.INT);
            out.putInt(number);
        } else if (value instanceof Double number) {
            out.putByte(PayloadTag.DOUBLE);
            out.putDouble(number);
        } else if (value instanceof Boolean flag) {
            out.putByte(flag ? PayloadTag.TRUE : PayloadTag.FALSE);
        } else {
            writeByClass(value, out, room);
        }
    }

    static void writeString(String text, ByteWriter out) {
        if (Text.isLatin1(text)) {
            out.putByte(PayloadTag.STRING_LATIN1);
            out.putLength(text.length());
            out.putLatin1(text);
        } else {
            out.putByte(PayloadTag.STRING_UTF16);
            out.putLength(text.length());
            out.putUtf16(text);
        }
    }

    /** Two frames a level, three more for a record: the fewer, the more levels fit a stack. */
    private void writeByClass(Object value, ByteWriter out, int room) {
        TypeEntry entry = types.find(value.getClass());
        if (entry instanceof RecordType type) {
            out.putByte(PayloadTag.RECORD);
            out.putLength(type.index());
            out.components().write(type.shape(), value, this, enter(room));
        } else if (entry instanceof CodecType type) {
            CustomCodec.write(type, value, out);
        } else if (value instanceof List<?> list) {
            out.putByte(PayloadTag.LIST);
            writeElements(list, out, enter(room));
        } else if (value instanceof Map<?, ?> map) {
            writeMap(map, out, enter(room));
        } else if (value instanceof Set<?> set) {
            out.putByte(tagOf(set));
            writeElements(set, out, enter(room));
        } else if (value instanceof Object[] array) {
            writeArray(array, out, enter(room));
        } else if (value instanceof Optional<?> optional) {
            writeOptional(optional, out, enter(room));
        } else {
            writeLeaf(value, out);
        }
    }

    private void writeLeaf(Object value, ByteWriter out) {
        if (value instanceof Enum<?> constant && find(constant) instanceof EnumType type) {
            writeEnum(type, constant, out);
        } else if (!BlockCodec.write(value, out) && !StandardCodec.write(value, out)) {
            writeRest(value, out);
        }
    }

    private void writeRest(Object value, ByteWriter out) {
        if (value instanceof Throwable thrown) {
            out.putByte(PayloadTag.THROWABLE);
            new FailureWriter(types, out).write(thrown);
            return;
        }
        if (value instanceof SharedBuffer buffer) {
            BufferCodec.write(buffer, out);
            return;
        }
        throw refuse(value);
    }

    /** The entry of a constant's enum; a constant with a body has a class of its own. */
    private @Nullable TypeEntry find(Enum<?> constant) {
        return types.find(constant.getDeclaringClass());
    }

    private static void writeEnum(EnumType type, Enum<?> constant, ByteWriter out) {
        out.putByte(PayloadTag.ENUM);
        out.putLength(type.index());
        out.putLength(constant.ordinal());
    }

    private void writeElements(Iterable<?> elements, ByteWriter out, int room) {
        int countAt = out.position();
        out.putInt(0);
        int count = 0;
        try {
            for (Object element : elements) {
                write(element, out, room);
                count++;
            }
        } catch (Throwable thrown) { // iterators are user code and may throw anything
            throw Refusal.in(thrown, "[" + count + "]");
        }
        out.patchInt(countAt, count); // counted, not asked for: a concurrent collection may change meanwhile
    }

    private static byte tagOf(Set<?> set) {
        if (!(set instanceof SortedSet<?> sorted)) {
            return PayloadTag.SET;
        }
        if (sorted.comparator() != null) {
            throw refuseComparator(set);
        }
        return PayloadTag.SORTED_SET;
    }

    private static byte tagOf(Map<?, ?> map) {
        if (!(map instanceof SortedMap<?, ?> sorted)) {
            return PayloadTag.MAP;
        }
        if (sorted.comparator() != null) {
            throw refuseComparator(map);
        }
        return PayloadTag.SORTED_MAP;
    }

    private void writeMap(Map<?, ?> map, ByteWriter out, int room) {
        out.putByte(tagOf(map));
        int countAt = out.position();
        out.putInt(0);
        int count = 0;
        boolean inKey = true;
        try {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                inKey = true;
                write(entry.getKey(), out, room);
                inKey = false;
                write(entry.getValue(), out, room);
                count++;
            }
        } catch (Throwable thrown) { // iterators are user code and may throw anything
            throw Refusal.in(thrown, (inKey ? ".key[" : ".value[") + count + "]");
        }
        out.patchInt(countAt, count);
    }

    private void writeArray(Object[] array, ByteWriter out, int room) {
        out.putByte(PayloadTag.ARRAY);
        ComponentType.write(array.getClass().getComponentType(), types, out);
        int length = Array.getLength(array);
        out.putInt(length);
        for (int i = 0; i < length; i++) {
            try {
                write(array[i], out, room);
            } catch (Refusal refusal) {
                throw Refusal.in(refusal, "[" + i + "]");
            }
        }
    }

    private void writeOptional(Optional<?> optional, ByteWriter out, int room) {
        if (optional.isEmpty()) {
            out.putByte(PayloadTag.OPTIONAL_EMPTY);
            return;
        }
        out.putByte(PayloadTag.OPTIONAL);
        try {
            write(optional.get(), out, room);
        } catch (Refusal refusal) {
            throw Refusal.in(refusal, ".get()");
        }
    }

    private int enter(int room) {
        if (room == 0) {
            throw Refusal.unsupported("nested too deeply, or a cycle", "limit", maxDepth);
        }
        return room - 1;
    }

    private static Refusal refuseComparator(Object collection) {
        return Refusal.unsupported(
                "a comparator cannot cross",
                "type",
                collection.getClass().getName(),
                "remedy",
                "natural order, or a copy that only keeps the order (LinkedHashMap, LinkedHashSet)");
    }

    private static Refusal refuse(Object value) {
        Class<?> type = value.getClass();
        boolean registrable = type.isRecord() || value instanceof Enum<?>;
        String what = type.isHidden() || type.isSynthetic() ? "a lambda cannot cross" : "type cannot cross";
        return Refusal.unsupported(
                what,
                "type",
                type.getName(),
                "remedy",
                registrable
                        ? "declare it in the task's signature, or register(...) it on the pool"
                        : "a record, or a PayloadCodec named by codec(...) on the pool");
    }
}

package dev.knitting.codec;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link StructureWriter} wrote; the bytes may be a hostile peer's. Only types of the table come into being,
 * never more elements than there are bytes, never more levels than {@code room}. Immutable.
 */
final class StructureReader {
    /** A set or map starts with at most this much room: a count costs a peer less than the buckets cost us. */
    private static final int MAX_INITIAL_ELEMENTS = 1 << 16;

    private final TypeTable types;
    private final int maxDepth;

    StructureReader(TypeTable types, int maxDepth) {
        this.types = types;
        this.maxDepth = maxDepth;
    }

    @Nullable
    Object read(ByteReader in, int room) {
        byte tag = in.getByte();
        return switch (tag) {
            case PayloadTag.NULL -> null;
            case PayloadTag.FALSE -> Boolean.FALSE;
            case PayloadTag.TRUE -> Boolean.TRUE;
            case PayloadTag.INT -> in.getInt();
            case PayloadTag.LONG -> in.getLong();
            case PayloadTag.DOUBLE -> in.getDouble();
            case PayloadTag.STRING_LATIN1 -> in.getLatin1(in.getLength());
            case PayloadTag.STRING_UTF16 -> in.getUtf16(in.getLength());
            case PayloadTag.RECORD -> readRecord(in, enter(room));
            case PayloadTag.LIST -> readList(in, enter(room));
            case PayloadTag.MAP -> readMap(in, enter(room));
            default -> readRare(tag, in, room);
        };
    }

    private Object readRare(byte tag, ByteReader in, int room) {
        return switch (tag) {
            case PayloadTag.ENUM -> readEnum(types.at(in.getLength()), in.getLength());
            case PayloadTag.ARRAY -> readArray(in, enter(room));
            case PayloadTag.SET -> readSet(in, enter(room));
            case PayloadTag.SORTED_SET -> readSortedSet(in, enter(room));
            case PayloadTag.SORTED_MAP -> readSortedMap(in, enter(room));
            case PayloadTag.OPTIONAL_EMPTY -> Optional.empty();
            case PayloadTag.OPTIONAL -> readOptional(in, enter(room));
            case PayloadTag.CUSTOM -> CustomCodec.read(entry(in, CodecType.class), in);
            case PayloadTag.THROWABLE -> new FailureReader(types, in).readValue();
            default -> BlockCodec.isBlock(tag) ? BlockCodec.read(tag, in) : StandardCodec.read(tag, in);
        };
    }

    /** A constant by its words. */
    static Object readEnum(TypeEntry entry, long ordinal) {
        return cast(entry, EnumType.class).constant(ordinal);
    }

    private <T extends TypeEntry> T entry(ByteReader in, Class<T> kind) {
        return cast(types.at(in.getLength()), kind);
    }

    private static <T extends TypeEntry> T cast(TypeEntry entry, Class<T> kind) {
        if (!kind.isInstance(entry)) {
            throw Refusal.corrupt("type is of another kind", "type", entry, "wanted", kind.getSimpleName());
        }
        return kind.cast(entry);
    }

    private Object readRecord(ByteReader in, int room) {
        RecordType type = entry(in, RecordType.class);
        RecordShape shape = type.shape();
        @Nullable Object[] values = new @Nullable Object[shape.count()];
        for (int i = 0; i < values.length; i++) {
            try {
                values[i] = readComponent(shape, i, in, room);
            } catch (Refusal refusal) {
                throw Refusal.in(refusal, shape.step(i));
            }
        }
        try {
            return (Object) shape.constructor().invokeExact(values);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) { // constructors are user code and may throw anything
            throw Refusal.userCode(
                    e,
                    "constructor of a record threw",
                    "type",
                    type,
                    "thrown",
                    e.getClass().getName());
        }
    }

    private @Nullable Object readComponent(RecordShape shape, int i, ByteReader in, int room) {
        switch (shape.kind(i)) {
            case PayloadTag.INT:
                return in.getInt();
            case PayloadTag.LONG:
                return in.getLong();
            case PayloadTag.DOUBLE:
                return in.getDouble();
            case PayloadTag.TRUE:
                return in.getBoolean();
            case PayloadTag.FLOAT:
                return in.getFloat();
            case PayloadTag.BYTE:
                return in.getByte();
            case PayloadTag.SHORT:
                return in.getShort();
            case PayloadTag.CHAR:
                return in.getChar();
            default:
                Object value = read(in, room);
                if (value != null && !shape.type(i).isInstance(value)) {
                    throw misfit(value, shape.type(i));
                }
                return value;
        }
    }

    private List<@Nullable Object> readList(ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 1);
        List<@Nullable Object> list = new ArrayList<>(count);
        readElements(list, count, in, room);
        return list;
    }

    private Set<@Nullable Object> readSet(ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 1);
        Set<@Nullable Object> set = LinkedHashSet.newLinkedHashSet(Math.min(count, MAX_INITIAL_ELEMENTS));
        readElements(set, count, in, room);
        return set;
    }

    private Set<@Nullable Object> readSortedSet(ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 1);
        Set<@Nullable Object> set = new TreeSet<>();
        readElements(set, count, in, room);
        return set;
    }

    private void readElements(Collection<@Nullable Object> target, int count, ByteReader in, int room) {
        for (int i = 0; i < count; i++) {
            try {
                target.add(read(in, room));
            } catch (RuntimeException e) { // from a Refusal, or hashCode, equals or compareTo of the elements
                throw Refusal.in(e, "[" + i + "]");
            }
        }
    }

    private Map<@Nullable Object, @Nullable Object> readMap(ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 2);
        Map<@Nullable Object, @Nullable Object> map =
                LinkedHashMap.newLinkedHashMap(Math.min(count, MAX_INITIAL_ELEMENTS));
        readEntries(map, count, in, room);
        return map;
    }

    private Map<@Nullable Object, @Nullable Object> readSortedMap(ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 2);
        Map<@Nullable Object, @Nullable Object> map = new TreeMap<>();
        readEntries(map, count, in, room);
        return map;
    }

    private void readEntries(Map<@Nullable Object, @Nullable Object> target, int count, ByteReader in, int room) {
        boolean inKey = true;
        for (int i = 0; i < count; i++) {
            try {
                inKey = true;
                Object key = read(in, room);
                inKey = false;
                target.put(key, read(in, room));
            } catch (RuntimeException e) { // from a Refusal, or hashCode, equals or compareTo of the keys
                throw Refusal.in(e, (inKey ? ".key[" : ".value[") + i + "]");
            }
        }
    }

    private Object readArray(ByteReader in, int room) {
        Class<?> component = ComponentType.read(types, in);
        int count = in.checkCount(in.getInt(), 1);
        @Nullable Object[] array = (@Nullable Object[]) Array.newInstance(component, count);
        for (int i = 0; i < count; i++) {
            try {
                Object element = read(in, room);
                if (element != null && !component.isInstance(element)) {
                    throw misfit(element, component);
                }
                array[i] = element;
            } catch (Refusal refusal) {
                throw Refusal.in(refusal, "[" + i + "]");
            }
        }
        return array;
    }

    private Optional<Object> readOptional(ByteReader in, int room) {
        Object value = read(in, room);
        if (value == null) {
            throw Refusal.corrupt("optional holds null");
        }
        return Optional.of(value);
    }

    private int enter(int room) {
        if (room == 0) {
            throw Refusal.corrupt("nested too deeply", "limit", maxDepth);
        }
        return room - 1;
    }

    private static Refusal misfit(Object value, Class<?> wanted) {
        return Refusal.corrupt("value does not fit", "type", value.getClass().getName(), "wanted", wanted.getName());
    }
}

package dev.knitting.codec;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link StructureWriter} wrote; the bytes may be a hostile peer's. Only types of the table come into being,
 * never more elements than there are bytes, never more levels than {@code room}. Immutable.
 */
final class StructureReader {
    /**
     * Collections and arrays start with at most this much room, and grow by what was read: at every level a peer may claim
     * as many elements as bytes are left, and never send them.
     */
    static final int MAX_INITIAL_ELEMENTS = 1 << 12;

    private final TypeTable types;
    private final int maxDepth;

    StructureReader(TypeTable types, int maxDepth) {
        this.types = types;
        this.maxDepth = maxDepth;
    }

    /** Two frames a level, three more for a record: the fewer, the more levels fit a stack. */
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
            case PayloadTag.LIST, PayloadTag.SET, PayloadTag.SORTED_SET -> readElements(tag, in, enter(room));
            case PayloadTag.MAP, PayloadTag.SORTED_MAP -> readEntries(tag, in, enter(room));
            case PayloadTag.ARRAY -> readArray(in, enter(room));
            case PayloadTag.OPTIONAL -> readOptional(in, enter(room));
            default -> readLeaf(tag, in);
        };
    }

    private Object readLeaf(byte tag, ByteReader in) {
        return switch (tag) {
            case PayloadTag.ENUM -> readEnum(types.at(in.getLength()), in.getLength());
            case PayloadTag.OPTIONAL_EMPTY -> Optional.empty();
            case PayloadTag.CUSTOM -> CustomCodec.read(entry(in, CodecType.class), in);
            case PayloadTag.THROWABLE -> new FailureReader(types, in).readValue();
            case PayloadTag.SHARED_BUFFER -> BufferCodec.read(in);
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
        return in.components().read(entry(in, RecordType.class).shape(), this, room);
    }

    private Collection<@Nullable Object> readElements(byte tag, ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 1);
        Collection<@Nullable Object> target = newCollection(tag, count);
        CollisionGuard guard = tag == PayloadTag.SET ? CollisionGuard.of(count) : null;
        for (int i = 0; i < count; i++) {
            try {
                Object element = read(in, room);
                if (guard != null) {
                    guard.check(element);
                }
                target.add(element);
            } catch (RuntimeException e) { // a Refusal, or from hashCode, equals or compareTo of the elements
                throw Refusal.in(e, "[" + i + "]");
            }
        }
        return target;
    }

    private static Collection<@Nullable Object> newCollection(byte tag, int count) {
        if (tag == PayloadTag.LIST) {
            return new ArrayList<>(Math.min(count, MAX_INITIAL_ELEMENTS));
        }
        return tag == PayloadTag.SORTED_SET
                ? new TreeSet<>()
                : LinkedHashSet.newLinkedHashSet(Math.min(count, MAX_INITIAL_ELEMENTS));
    }

    private Map<@Nullable Object, @Nullable Object> readEntries(byte tag, ByteReader in, int room) {
        int count = in.checkCount(in.getInt(), 2);
        Map<@Nullable Object, @Nullable Object> target = tag == PayloadTag.SORTED_MAP
                ? new TreeMap<>()
                : LinkedHashMap.newLinkedHashMap(Math.min(count, MAX_INITIAL_ELEMENTS));
        CollisionGuard guard = tag == PayloadTag.MAP ? CollisionGuard.of(count) : null;
        boolean inKey = true;
        for (int i = 0; i < count; i++) {
            try {
                inKey = true;
                Object key = read(in, room);
                if (guard != null) {
                    guard.check(key);
                }
                inKey = false;
                target.put(key, read(in, room));
            } catch (RuntimeException e) { // a Refusal, or from hashCode, equals or compareTo of the keys
                throw Refusal.in(e, (inKey ? ".key[" : ".value[") + i + "]");
            }
        }
        return target;
    }

    private Object readArray(ByteReader in, int room) {
        Class<?> component = ComponentType.read(types, in);
        int count = in.checkCount(in.getInt(), 1);
        int length = Math.min(count, MAX_INITIAL_ELEMENTS);
        @Nullable Object[] array = (@Nullable Object[]) Array.newInstance(component, length);
        for (int i = 0; i < count; i++) {
            if (i == length) {
                length = (int) Math.min(count, 2L * length);
                array = Arrays.copyOf(array, length);
            }
            try {
                array[i] = fitting(read(in, room), component);
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

    /**
     * The value as it is.
     *
     * @throws Refusal if the class does not take it
     */
    static @Nullable Object fitting(@Nullable Object value, Class<?> wanted) {
        if (value != null && !wanted.isInstance(value)) {
            throw Refusal.corrupt("value does not fit", "type", value.getClass().getName(), "wanted", wanted.getName());
        }
        return value;
    }
}

package dev.knitting.codec;

import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a record's generated code gets its components from, one after the other. Belongs to one {@link ByteReader};
 * records inside records take turns: whoever enters restores what was there.
 */
final class ComponentSource implements IntSupplier, LongSupplier, DoubleSupplier, Supplier<@Nullable Object> {
    private final ByteReader in;
    private @Nullable StructureReader structures;
    private @Nullable RecordShape shape;
    private int index;
    private int room;

    ComponentSource(ByteReader in) {
        this.in = in;
    }

    /**
     * Reads the components of a record and makes it.
     *
     * @throws Refusal with the component as a step of the path, or if the constructor throws
     */
    Object read(RecordShape recordShape, StructureReader reader, int levels) {
        StructureReader outerStructures = structures;
        RecordShape outerShape = shape;
        int outerIndex = index;
        int outerRoom = room;
        structures = reader;
        shape = recordShape;
        index = 0;
        room = levels;
        try {
            return recordShape.putTogether(this);
        } catch (Throwable thrown) { // constructors are user code and may throw anything
            throw index < recordShape.count()
                    ? Refusal.in(thrown, recordShape.step(index))
                    : Refusal.constructor(thrown, recordShape.record());
        } finally {
            structures = outerStructures;
            shape = outerShape;
            index = outerIndex;
            room = outerRoom;
        }
    }

    @Override
    @SuppressWarnings("NullAway") // the generated code runs inside read only
    public int getAsInt() {
        int value = switch (shape.kind(index)) {
            case PayloadTag.INT, PayloadTag.FLOAT -> in.getInt();
            case PayloadTag.SHORT -> in.getShort();
            case PayloadTag.CHAR -> in.getChar();
            case PayloadTag.TRUE -> in.getBoolean() ? 1 : 0;
            default -> in.getByte();
        };
        index++;
        return value;
    }

    @Override
    public long getAsLong() {
        long value = in.getLong();
        index++;
        return value;
    }

    @Override
    public double getAsDouble() {
        double value = in.getDouble();
        index++;
        return value;
    }

    @Override
    @SuppressWarnings("NullAway") // the generated code runs inside read only
    public @Nullable Object get() {
        Object value = StructureReader.fitting(structures.read(in, room), shape.type(index));
        index++;
        return value;
    }
}

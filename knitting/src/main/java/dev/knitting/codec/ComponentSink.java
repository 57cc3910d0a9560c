package dev.knitting.codec;

import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a record's generated code puts its components, one after the other. Belongs to one {@link ByteWriter}; records
 * inside records take turns: whoever enters restores what was there.
 */
@SuppressWarnings("overloads") // of andThen, which nobody calls
final class ComponentSink implements IntConsumer, LongConsumer, DoubleConsumer, Consumer<@Nullable Object> {
    private final ByteWriter out;
    private @Nullable StructureWriter structures;
    private @Nullable RecordShape shape;
    private int index;
    private int room;

    ComponentSink(ByteWriter out) {
        this.out = out;
    }

    /**
     * Writes the components of a record.
     *
     * @throws Refusal with the component as a step of the path
     */
    void write(RecordShape recordShape, Object value, StructureWriter writer, int levels) {
        StructureWriter outerStructures = structures;
        RecordShape outerShape = shape;
        int outerIndex = index;
        int outerRoom = room;
        structures = writer;
        shape = recordShape;
        index = 0;
        room = levels;
        try {
            recordShape.takeApart(value, this);
        } catch (Throwable thrown) { // accessors are user code and may throw anything
            throw Refusal.in(thrown, recordShape.step(index));
        } finally {
            structures = outerStructures;
            shape = outerShape;
            index = outerIndex;
            room = outerRoom;
        }
    }

    @Override
    @SuppressWarnings("NullAway") // the generated code runs inside write only
    public void accept(int value) {
        switch (shape.kind(index)) {
            case PayloadTag.INT, PayloadTag.FLOAT -> out.putInt(value);
            case PayloadTag.SHORT -> out.putShort((short) value);
            case PayloadTag.CHAR -> out.putChar((char) value);
            default -> out.putByte(value);
        }
        index++;
    }

    @Override
    public void accept(long value) {
        out.putLong(value);
        index++;
    }

    @Override
    public void accept(double value) {
        out.putDouble(value);
        index++;
    }

    @Override
    @SuppressWarnings("NullAway") // the generated code runs inside write only
    public void accept(@Nullable Object value) {
        shape.checkArrival(index, value);
        structures.write(value, out, room);
        index++;
    }
}

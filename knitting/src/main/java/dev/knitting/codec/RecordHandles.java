package dev.knitting.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * What {@link RecordAssembler} generates, done with method handles: for records in another module than this one, next to
 * which nothing may be defined. Slower at its first use, and boxes the primitives of what it makes.
 */
final class RecordHandles implements BiConsumer<Object, Object>, Function<Object, Object> {
    private final byte[] kinds;
    /** Type {@code (Object)P} for a primitive component, {@code (Object)Object} for any other. */
    private final MethodHandle[] accessors;
    /** Type {@code (Object[])Object}. */
    private final MethodHandle constructor;

    /** Handles for a record class, by the rights of the lookup. */
    RecordHandles(Class<?> type, byte[] kinds, MethodHandles.Lookup lookup)
            throws IllegalAccessException, NoSuchMethodException {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        this.kinds = kinds;
        accessors = new MethodHandle[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            Class<?> carrier = types[i].isPrimitive() ? types[i] : Object.class;
            accessors[i] =
                    lookup.unreflect(components[i].getAccessor()).asType(MethodType.methodType(carrier, Object.class));
        }
        constructor = lookup.findConstructor(type, MethodType.methodType(void.class, types))
                .asSpreader(Object[].class, types.length)
                .asType(MethodType.methodType(Object.class, Object[].class));
    }

    @Override
    public void accept(Object value, Object target) {
        ComponentSink sink = (ComponentSink) target;
        try {
            for (int i = 0; i < kinds.length; i++) {
                takeApart(kinds[i], accessors[i], value, sink);
            }
        } catch (Throwable thrown) { // the declared type of MethodHandle.invokeExact
            throw RecordHandles.<RuntimeException>unchanged(thrown);
        }
    }

    private static void takeApart(byte kind, MethodHandle accessor, Object value, ComponentSink sink) throws Throwable {
        switch (kind) {
            case PayloadTag.LONG -> sink.accept((long) accessor.invokeExact(value));
            case PayloadTag.DOUBLE -> sink.accept((double) accessor.invokeExact(value));
            case PayloadTag.INT -> sink.accept((int) accessor.invokeExact(value));
            case PayloadTag.TRUE -> sink.accept((boolean) accessor.invokeExact(value) ? 1 : 0);
            case PayloadTag.FLOAT -> sink.accept(Float.floatToRawIntBits((float) accessor.invokeExact(value)));
            case PayloadTag.BYTE -> sink.accept((int) (byte) accessor.invokeExact(value));
            case PayloadTag.SHORT -> sink.accept((int) (short) accessor.invokeExact(value));
            case PayloadTag.CHAR -> sink.accept((int) (char) accessor.invokeExact(value));
            default -> sink.accept((Object) accessor.invokeExact(value));
        }
    }

    @Override
    public Object apply(Object from) {
        ComponentSource source = (ComponentSource) from;
        Object[] values = new Object[kinds.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = next(kinds[i], source);
        }
        try {
            return (Object) constructor.invokeExact(values);
        } catch (Throwable thrown) { // the declared type of MethodHandle.invokeExact
            throw RecordHandles.<RuntimeException>unchanged(thrown);
        }
    }

    @SuppressWarnings("NullAway") // a component may be null
    private static Object next(byte kind, ComponentSource source) {
        return switch (kind) {
            case PayloadTag.LONG -> source.getAsLong();
            case PayloadTag.DOUBLE -> source.getAsDouble();
            case PayloadTag.INT -> source.getAsInt();
            case PayloadTag.TRUE -> source.getAsInt() != 0;
            case PayloadTag.FLOAT -> Float.intBitsToFloat(source.getAsInt());
            case PayloadTag.BYTE -> (byte) source.getAsInt();
            case PayloadTag.SHORT -> (short) source.getAsInt();
            case PayloadTag.CHAR -> (char) source.getAsInt();
            default -> source.get();
        };
    }

    /** The generated code passes on what the record throws as it is, checked or not; so does this. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is how a checked exception goes unnoticed
    private static <T extends Throwable> T unchanged(Throwable thrown) throws T {
        throw (T) thrown;
    }
}

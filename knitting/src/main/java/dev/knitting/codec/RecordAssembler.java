package dev.knitting.codec;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.RecordComponent;

/**
 * Generates, for one record class, the code that somebody would write by hand to take it apart and put it together:
 *
 * <pre>{@code
 * final class Order$$Knitting implements BiConsumer, Function {
 *     public void accept(Object value, Object sink) {        // take apart
 *         Order record = (Order) value;
 *         ((LongConsumer) sink).accept(record.id());
 *         ((Consumer) sink).accept(record.items());
 *     }
 *     public Object apply(Object source) {                   // put together
 *         return new Order(((LongSupplier) source).getAsLong(), (List) ((Supplier) source).get());
 *     }
 * }
 * }</pre>
 *
 * Primitives stay primitives, nothing is allocated but the record, and the compiler inlines all of it. It is defined next
 * to the record, as its nest mate, where private constructors are in reach; so it may name only types of the JDK, which
 * are {@link ComponentSink} and {@link ComponentSource} in disguise. (Method handles would do the same, but a first record
 * would cost a starting worker a tenth of a second for their forms.)
 */
final class RecordAssembler {
    private static final String FUNCTIONS = "java/util/function/";
    private static final String ACCEPT = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    private static final String APPLY = "(Ljava/lang/Object;)Ljava/lang/Object;";

    private static final int ALOAD_0 = 0x2a;
    private static final int ALOAD_1 = 0x2b;
    private static final int ALOAD_2 = 0x2c;
    private static final int ALOAD_3 = 0x2d;
    private static final int ASTORE_3 = 0x4e;
    private static final int DUP = 0x59;
    private static final int ARETURN = 0xb0;
    private static final int RETURN = 0xb1;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;
    private static final int INVOKEINTERFACE = 0xb9;
    private static final int NEW = 0xbb;
    private static final int CHECKCAST = 0xc0;

    private final ClassFileWriter file = new ClassFileWriter();
    private final String record;
    private final RecordComponent[] components;

    private RecordAssembler(Class<?> type) {
        record = internalName(type);
        components = type.getRecordComponents();
    }

    /** The class file for this record. */
    static byte[] assemble(Class<?> type) {
        try {
            return new RecordAssembler(type).assemble();
        } catch (IOException e) {
            throw Refusal.userCode(e, "record has too long a name", "type", type.getName());
        }
    }

    private byte[] assemble() throws IOException {
        file.addMethod("<init>", "()V", 1, 1, constructor());
        file.addMethod("accept", ACCEPT, 4, 4, takeApart());
        file.addMethod("apply", APPLY, 3 + 2 * components.length, 2, putTogether());
        return file.toBytes(
                record.concat("$$Knitting"), "java/lang/Object", FUNCTIONS + "BiConsumer", FUNCTIONS + "Function");
    }

    private byte[] constructor() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        code.writeByte(ALOAD_0);
        invoke(code, INVOKESPECIAL, file.method("java/lang/Object", "<init>", "()V"));
        code.writeByte(RETURN);
        return bytes.toByteArray();
    }

    private byte[] takeApart() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        code.writeByte(ALOAD_1);
        invoke(code, CHECKCAST, file.classRef(record));
        code.writeByte(ASTORE_3);
        for (RecordComponent component : components) {
            Class<?> type = component.getType();
            code.writeByte(ALOAD_2);
            code.writeByte(ALOAD_3);
            invoke(code, INVOKEVIRTUAL, file.method(record, component.getName(), "()".concat(type.descriptorString())));
            if (type == float.class) {
                invoke(code, INVOKESTATIC, file.method("java/lang/Float", "floatToRawIntBits", "(F)I"));
            }
            accept(code, type);
        }
        code.writeByte(RETURN);
        return bytes.toByteArray();
    }

    private void accept(DataOutputStream code, Class<?> type) throws IOException {
        if (type == long.class) {
            invokeInterface(code, "LongConsumer", "accept", "(J)V", 3);
        } else if (type == double.class) {
            invokeInterface(code, "DoubleConsumer", "accept", "(D)V", 3);
        } else if (type.isPrimitive()) {
            invokeInterface(code, "IntConsumer", "accept", "(I)V", 2);
        } else {
            invokeInterface(code, "Consumer", "accept", "(Ljava/lang/Object;)V", 2);
        }
    }

    private byte[] putTogether() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        StringBuilder descriptor = new StringBuilder("(");
        invoke(code, NEW, file.classRef(record));
        code.writeByte(DUP);
        for (RecordComponent component : components) {
            code.writeByte(ALOAD_1);
            get(code, component.getType());
            descriptor.append(component.getType().descriptorString());
        }
        invoke(
                code,
                INVOKESPECIAL,
                file.method(record, "<init>", descriptor.append(")V").toString()));
        code.writeByte(ARETURN);
        return bytes.toByteArray();
    }

    private void get(DataOutputStream code, Class<?> type) throws IOException {
        if (type == long.class) {
            invokeInterface(code, "LongSupplier", "getAsLong", "()J", 1);
        } else if (type == double.class) {
            invokeInterface(code, "DoubleSupplier", "getAsDouble", "()D", 1);
        } else if (type.isPrimitive()) {
            invokeInterface(code, "IntSupplier", "getAsInt", "()I", 1);
            if (type == float.class) {
                invoke(code, INVOKESTATIC, file.method("java/lang/Float", "intBitsToFloat", "(I)F"));
            }
        } else {
            invokeInterface(code, "Supplier", "get", "()Ljava/lang/Object;", 1);
            invoke(code, CHECKCAST, file.classRef(internalName(type)));
        }
    }

    private static void invoke(DataOutputStream code, int opcode, int index) throws IOException {
        code.writeByte(opcode);
        code.writeShort(index);
    }

    private void invokeInterface(DataOutputStream code, String owner, String name, String descriptor, int slots)
            throws IOException {
        invoke(code, INVOKEINTERFACE, file.interfaceMethod(FUNCTIONS.concat(owner), name, descriptor));
        code.writeByte(slots);
        code.writeByte(0);
    }

    private static String internalName(Class<?> type) {
        return type.getName().replace('.', '/'); // arrays: Class.getName is their descriptor with dots
    }
}

package dev.knitting.boot;

import dev.knitting.codec.ClassFileWriter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/**
 * Generates, for one task's method, the call that somebody would write by hand:
 *
 * <pre>{@code
 * final class Quickstart$$Knitting implements Function {
 *     public Object apply(Object argument) {
 *         return Long.valueOf(Quickstart.square(((Long) argument).longValue()));
 *     }
 * }
 * }</pre>
 *
 * or, for a method of a service, the call on the worker's one implementation, which the class holds in a field. It is
 * defined next to the method's class, as its nest mate, where private methods are in reach; so it may name only
 * types of the JDK. The compiler inlines it, which it does not do with a method handle that is no constant, and a worker
 * that starts is spared the handle's forms, some fifteen milliseconds.
 */
final class BodyAssembler {
    private static final String APPLY = "(Ljava/lang/Object;)Ljava/lang/Object;";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final String OBJECTS = "[Ljava/lang/Object;";
    /** Where a bound body keeps the object whose method it calls. */
    private static final String RECEIVER = "receiver";

    private static final int ACONST_NULL = 0x01;
    private static final int SIPUSH = 0x11;
    private static final int ALOAD_0 = 0x2a;
    private static final int ALOAD_1 = 0x2b;
    private static final int AALOAD = 0x32;
    private static final int DUP = 0x59;
    private static final int ARETURN = 0xb0;
    private static final int RETURN = 0xb1;
    private static final int GETFIELD = 0xb4;
    private static final int PUTFIELD = 0xb5;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;
    private static final int INVOKEINTERFACE = 0xb9;
    private static final int NEW = 0xbb;
    private static final int CHECKCAST = 0xc0;

    private final ClassFileWriter file = new ClassFileWriter();
    private final Class<?> owner;
    private final Executable executable;
    private final boolean spread;
    private final boolean bound;
    private final String name;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream code = new DataOutputStream(bytes);
    /** Number of the next argument to be pushed. */
    private int pushed;

    private BodyAssembler(Class<?> owner, Executable executable, boolean spread, boolean bound) {
        this.owner = owner;
        this.executable = executable;
        this.spread = spread;
        this.bound = bound;
        this.name = internalName(owner).concat("$$Knitting");
    }

    /**
     * The class file.
     *
     * @param spread whether {@code apply} gets an {@code Object[]} of arguments, the receiver first
     * @param bound whether the class's constructor takes the receiver, of type {@code Object}; then it is no argument
     */
    static byte[] assemble(Class<?> owner, Executable executable, boolean spread, boolean bound) throws IOException {
        return new BodyAssembler(owner, executable, spread, bound).assemble();
    }

    private byte[] assemble() throws IOException {
        call();
        byte[] apply = bytes.toByteArray();
        bytes.reset();
        code.writeByte(ALOAD_0);
        invoke(INVOKESPECIAL, file.method("java/lang/Object", "<init>", "()V"));
        if (bound) {
            file.addField(RECEIVER, OBJECT);
            code.writeByte(ALOAD_0);
            code.writeByte(ALOAD_1);
            invoke(PUTFIELD, file.field(name, RECEIVER, OBJECT));
        }
        code.writeByte(RETURN);
        file.addMethod("<init>", bound ? "(Ljava/lang/Object;)V" : "()V", 2, 2, bytes.toByteArray());
        file.addMethod("apply", APPLY, 4 + 2 * executable.getParameterCount(), 2, apply);
        return file.toBytes(name, "java/lang/Object", "java/util/function/Function");
    }

    private void call() throws IOException {
        if (executable instanceof Constructor<?>) {
            invoke(NEW, file.classRef(internalName(owner)));
            code.writeByte(DUP);
        } else if (bound) {
            code.writeByte(ALOAD_0);
            invoke(GETFIELD, file.field(name, RECEIVER, OBJECT));
            invoke(CHECKCAST, file.classRef(internalName(owner)));
        } else if (!Modifier.isStatic(executable.getModifiers())) {
            push(owner);
        }
        StringBuilder descriptor = new StringBuilder("(");
        for (Class<?> parameter : executable.getParameterTypes()) {
            push(parameter);
            descriptor.append(parameter.descriptorString());
        }
        descriptor.append(')');
        if (executable instanceof Method method) {
            descriptor.append(method.getReturnType().descriptorString());
            callMethod(method, descriptor.toString());
            box(method.getReturnType());
        } else {
            invoke(
                    INVOKESPECIAL,
                    file.method(
                            internalName(owner),
                            "<init>",
                            descriptor.append('V').toString()));
        }
        code.writeByte(ARETURN);
    }

    private void callMethod(Method method, String descriptor) throws IOException {
        String ownerName = internalName(owner);
        boolean isStatic = Modifier.isStatic(method.getModifiers());
        if (owner.isInterface()) {
            int index = file.interfaceMethod(ownerName, method.getName(), descriptor);
            if (isStatic) {
                invoke(INVOKESTATIC, index);
            } else {
                invoke(INVOKEINTERFACE, index);
                code.writeByte(1 + slots(method.getParameterTypes()));
                code.writeByte(0);
            }
        } else {
            invoke(isStatic ? INVOKESTATIC : INVOKEVIRTUAL, file.method(ownerName, method.getName(), descriptor));
        }
    }

    private static int slots(Class<?>[] types) {
        int slots = 0;
        for (Class<?> type : types) {
            slots += type == long.class || type == double.class ? 2 : 1;
        }
        return slots;
    }

    /** Pushes the next argument as this type. */
    private void push(Class<?> type) throws IOException {
        code.writeByte(ALOAD_1);
        if (spread) {
            invoke(CHECKCAST, file.classRef(OBJECTS));
            invoke(SIPUSH, pushed);
            code.writeByte(AALOAD);
        }
        pushed++;
        if (type.isPrimitive()) {
            String box = boxOf(type);
            invoke(CHECKCAST, file.classRef(box));
            invoke(
                    INVOKEVIRTUAL,
                    file.method(box, type.getName().concat("Value"), "()".concat(type.descriptorString())));
        } else if (type != Object.class) {
            invoke(CHECKCAST, file.classRef(internalName(type)));
        }
    }

    private void box(Class<?> type) throws IOException {
        if (type == void.class) {
            code.writeByte(ACONST_NULL);
        } else if (type.isPrimitive()) {
            String box = boxOf(type);
            String descriptor =
                    "(".concat(type.descriptorString()).concat(")L").concat(box).concat(";");
            invoke(INVOKESTATIC, file.method(box, "valueOf", descriptor));
        }
    }

    private static String boxOf(Class<?> primitive) {
        if (primitive == int.class) {
            return "java/lang/Integer";
        }
        if (primitive == char.class) {
            return "java/lang/Character";
        }
        String name = primitive.getName();
        return "java/lang/"
                .concat(name.substring(0, 1).toUpperCase(java.util.Locale.ROOT))
                .concat(name.substring(1));
    }

    private void invoke(int opcode, int operand) throws IOException {
        code.writeByte(opcode);
        code.writeShort(operand);
    }

    private static String internalName(Class<?> type) {
        return type.getName().replace('.', '/'); // arrays: Class.getName is their descriptor with dots
    }
}

package dev.knitting.codec;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Just enough of a class file for straight-line code: a constant pool and methods without branches, which need no stack
 * maps. By hand and not through {@code java.lang.classfile}, whose first use would cost a starting worker tens of
 * milliseconds; for the same reason no strings are concatenated by {@code +}.
 */
public final class ClassFileWriter {
    private static final int MAGIC = 0xCAFE_BABE;
    /** Java 11: nest mates, and nothing newer is used. */
    private static final int MAJOR_VERSION = 55;

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;

    private static final int ACC_PUBLIC = 1;
    private static final int ACC_PRIVATE = 2;
    private static final int ACC_FINAL = 0x10;
    private static final int ACC_SUPER = 0x20;
    private static final int ACC_SYNTHETIC = 0x1000;

    private final Map<String, Integer> indexes = new HashMap<>();
    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes);
    private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
    private final DataOutputStream methods = new DataOutputStream(methodBytes);
    private final ByteArrayOutputStream fieldBytes = new ByteArrayOutputStream();
    private final DataOutputStream fields = new DataOutputStream(fieldBytes);
    private int poolCount = 1;
    private int fieldCount;
    private int methodCount;

    /** A class file without members. One thread. */
    public ClassFileWriter() {}

    private int utf8(String text) throws IOException {
        String key = "utf8 ".concat(text);
        Integer known = indexes.get(key);
        if (known != null) {
            return known;
        }
        pool.writeByte(UTF8);
        pool.writeUTF(text);
        return added(key);
    }

    /** A class by its internal name, or an array by its descriptor. */
    public int classRef(String name) throws IOException {
        String key = "class ".concat(name);
        Integer known = indexes.get(key);
        if (known != null) {
            return known;
        }
        int text = utf8(name);
        pool.writeByte(CLASS);
        pool.writeShort(text);
        return added(key);
    }

    /** A method; each call adds one. */
    public int method(String owner, String name, String descriptor) throws IOException {
        return member(METHOD, owner, name, descriptor);
    }

    /** A method of an interface; each call adds one. */
    public int interfaceMethod(String owner, String name, String descriptor) throws IOException {
        return member(INTERFACE_METHOD, owner, name, descriptor);
    }

    /** A field; each call adds one. */
    public int field(String owner, String name, String descriptor) throws IOException {
        return member(FIELD, owner, name, descriptor);
    }

    private int member(int kind, String owner, String name, String descriptor) throws IOException {
        int ownerIndex = classRef(owner);
        int nameIndex = utf8(name);
        int descriptorIndex = utf8(descriptor);
        pool.writeByte(NAME_AND_TYPE);
        pool.writeShort(nameIndex);
        pool.writeShort(descriptorIndex);
        int nameAndType = poolCount++;
        pool.writeByte(kind);
        pool.writeShort(ownerIndex);
        pool.writeShort(nameAndType);
        return poolCount++;
    }

    private int added(String key) {
        indexes.put(key, poolCount);
        return poolCount++;
    }

    /** Adds a private final field. */
    public void addField(String name, String descriptor) throws IOException {
        fields.writeShort(ACC_PRIVATE | ACC_FINAL);
        fields.writeShort(utf8(name));
        fields.writeShort(utf8(descriptor));
        fields.writeShort(0); // attributes
        fieldCount++;
    }

    /** Adds a public method with this code. */
    public void addMethod(String name, String descriptor, int maxStack, int maxLocals, byte[] code) throws IOException {
        int codeAttribute = utf8("Code");
        methods.writeShort(ACC_PUBLIC);
        methods.writeShort(utf8(name));
        methods.writeShort(utf8(descriptor));
        methods.writeShort(1);
        methods.writeShort(codeAttribute);
        methods.writeInt(code.length + 12);
        methods.writeShort(maxStack);
        methods.writeShort(maxLocals);
        methods.writeInt(code.length);
        methods.write(code);
        methods.writeShort(0); // exception handlers
        methods.writeShort(0); // attributes
        methodCount++;
    }

    /** The class with all that was added. */
    public byte[] toBytes(String name, String superName, String... interfaces) throws IOException {
        int thisIndex = classRef(name);
        int superIndex = classRef(superName);
        int[] interfaceIndexes = new int[interfaces.length];
        for (int i = 0; i < interfaces.length; i++) {
            interfaceIndexes[i] = classRef(interfaces[i]);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(MAGIC);
        out.writeShort(0);
        out.writeShort(MAJOR_VERSION);
        out.writeShort(poolCount);
        poolBytes.writeTo(out);
        out.writeShort(ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC);
        out.writeShort(thisIndex);
        out.writeShort(superIndex);
        out.writeShort(interfaces.length);
        for (int index : interfaceIndexes) {
            out.writeShort(index);
        }
        out.writeShort(fieldCount);
        fieldBytes.writeTo(out);
        out.writeShort(methodCount);
        methodBytes.writeTo(out);
        out.writeShort(0); // attributes
        return bytes.toByteArray();
    }
}

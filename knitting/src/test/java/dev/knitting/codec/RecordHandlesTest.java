package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.invoke.MethodHandles;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of another module than the codec's: no class can be defined next to them. */
class RecordHandlesTest {
    @TempDir
    private Path directory;

    @Test
    void cross_recordOfAnotherModuleThatIsOpen_keepsEveryComponent() throws Exception {
        Class<?> type = compile("opens away;");
        assertThat(MethodHandles.privateLookupIn(type, lookupThatReads(type)).hasFullPrivilegeAccess())
                .isFalse();
        Object value = make(type);
        Object arrived = Crossing.cross(Crossing.codec(type), List.of(value));
        assertThat(arrived).isEqualTo(List.of(value));
    }

    @Test
    void encode_recordOfAnotherModuleThatIsClosed_isRefusedWithTheRemedy() throws Exception {
        Class<?> type = compile("");
        ValueCodec codec = Crossing.codec(type);
        Payload sent = new Payload();
        byte[] bytes = {PayloadTag.RECORD, 0};
        sent.setBody(PayloadTag.STRUCTURE, java.lang.foreign.MemorySegment.ofArray(bytes), bytes.length);
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.decode(sent))
                .withMessageContaining("type=away.Away")
                .withMessageContaining("opens away to dev.knitting")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    private static MethodHandles.Lookup lookupThatReads(Class<?> type) {
        RecordHandlesTest.class.getModule().addReads(type.getModule());
        return MethodHandles.lookup();
    }

    private static Object make(Class<?> type) throws Exception {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(true, (byte) 1, (short) -2, '\uffff', 4, 5L, Float.NaN, -0.0, "x", null);
    }

    private Class<?> compile(String directive) throws Exception {
        Path sources = Files.createDirectories(directory.resolve("sources/away"));
        Path classes = directory.resolve("classes");
        Path module =
                Files.writeString(directory.resolve("sources/module-info.java"), "module away {" + directive + "}");
        Path record = Files.writeString(
                sources.resolve("Away.java"),
                "package away; record Away(boolean a, byte b, short c, char d, int e, long f, float g, double h,"
                        + " String i, int[] j) {}");
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-d", classes.toString(), module.toString(), record.toString());
        assertThat(result).isZero();
        ModuleFinder finder = ModuleFinder.of(classes);
        ModuleLayer boot = ModuleLayer.boot();
        ModuleLayer layer = boot.defineModulesWithOneLoader(
                boot.configuration().resolve(finder, ModuleFinder.of(), Set.of("away")),
                ClassLoader.getSystemClassLoader());
        ModuleDescriptor descriptor = layer.findModule("away").orElseThrow().getDescriptor();
        assertThat(descriptor.name()).isEqualTo("away");
        return layer.findLoader("away").loadClass("away.Away");
    }
}

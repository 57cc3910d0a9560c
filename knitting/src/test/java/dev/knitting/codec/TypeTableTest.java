package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypeTableTest {
    private record Leaf(int x) {}

    private record Tree(List<? extends Map<Colour, Leaf[]>> children, Optional<Tree> parent, Shape shape) {}

    private enum Colour {
        RED;

        static {
            initialised = true;
        }
    }

    private static boolean initialised;

    private sealed interface Shape permits Circle, Other {}

    private record Circle(double radius) implements Shape {}

    private static final class Other implements Shape {}

    private record Threads(List<Thread> threads) {}

    private static final class OwnException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private interface Signatures<T extends Leaf> {
        List<Leaf> list();

        Map<String, ? super Integer> wildcard();

        T variable();

        List<Leaf>[] arrays();

        List<Thread> bad();
    }

    private static Type typeOf(String method) throws NoSuchMethodException {
        Method found = Signatures.class.getDeclaredMethod(method);
        return found.getGenericReturnType();
    }

    private static TypeTable table(Type... roots) {
        return TypeTable.of(List.of(roots), List.of(), List.of());
    }

    private static List<Class<?>> types(TypeTable table) {
        List<Class<?>> types = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            types.add(table.at(i).type());
        }
        return types;
    }

    @Test
    void of_builtInTypesOnly_isEmpty() {
        assertThat(table()).isSameAs(TypeTable.EMPTY);
        assertThat(table(long.class, String.class, void.class, byte[].class, int[][].class))
                .isSameAs(TypeTable.EMPTY);
        assertThat(table(Object.class, List.class, java.time.Instant.class, java.nio.file.Path.class))
                .isSameAs(TypeTable.EMPTY);
    }

    @Test
    void of_record_findsAllThatItReachesInOrder() {
        assertThat(types(table(Tree.class)))
                .containsExactly(Tree.class, Colour.class, Leaf.class, Shape.class, Circle.class);
        assertThat(initialised).as("no class is initialised").isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "variable", "arrays"})
    void of_genericSignature_looksIntoIt(String method) throws Exception {
        assertThat(types(table(typeOf(method)))).containsExactly(Leaf.class);
    }

    @Test
    void of_wildcardOfBuiltIns_isEmpty() throws Exception {
        assertThat(table(typeOf("wildcard"))).isSameAs(TypeTable.EMPTY);
    }

    @Test
    void of_jdkEnumsAndExceptions_enumsNeedAnIndexAndExceptionsDoNot() {
        assertThat(types(table(DayOfWeek.class, IOException.class, OwnException.class)))
                .containsExactly(DayOfWeek.class, OwnException.class);
    }

    @Test
    void of_typesThatCannotCross_areRefusedByNameAndPlace() throws Exception {
        assertRefused("type=java.lang.Thread", Thread.class);
        assertRefused("type=java.util.stream.Stream", Stream.class);
        assertRefused("type=java.util.LinkedList", LinkedList.class);
        assertRefused("type=java.util.concurrent.ConcurrentMap", ConcurrentMap.class);
        assertRefused("Threads.threads", Threads.class);
        assertRefused("java.util.List<java.lang.Thread>", typeOf("bad"));
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> TypeTable.of(List.of(), List.of(Other.class), List.of()))
                .withMessageContaining("Other");
    }

    private static void assertRefused(String fragment, Type root) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> table(root))
                .withMessageContaining(fragment)
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Test
    void of_sameTypesTwice_givesTheSameFingerprint() {
        TypeTable one = TypeTable.of(List.of(Tree.class, Leaf.class), List.of(OwnException.class), List.of());
        TypeTable other = TypeTable.of(List.of(Tree.class, Leaf.class), List.of(OwnException.class), List.of());
        assertThat(one).isNotSameAs(other);
        assertThat(one.fingerprint()).isEqualTo(other.fingerprint());
        assertThat(types(one)).isEqualTo(types(other));
    }

    @Test
    void fingerprint_otherOrderOrTypes_differs() {
        int fingerprint = table(Leaf.class, DayOfWeek.class).fingerprint();
        assertThat(table(DayOfWeek.class, Leaf.class).fingerprint()).isNotEqualTo(fingerprint);
        assertThat(table(Leaf.class).fingerprint()).isNotEqualTo(fingerprint);
        assertThat(TypeTable.EMPTY.fingerprint()).isNotEqualTo(fingerprint);
    }

    @Test
    void fingerprint_sameNamesOfAnotherVersion_differs() throws Exception {
        record Before(int x, String y) {}
        record After(int x, Object y) {}
        int before = table(Before.class).fingerprint();
        int after = table(After.class).fingerprint();
        // The names of the two classes differ too; a table of the class alone shows what the components contribute.
        assertThat(Arrays.stream(Before.class.getRecordComponents()).map(c -> c.getName()))
                .containsExactlyElementsOf(Arrays.stream(After.class.getRecordComponents())
                        .map(c -> c.getName())
                        .toList());
        assertThat(new RecordType(0, Before.class).mixInto(0) - mixedName(Before.class))
                .isNotEqualTo(new RecordType(0, After.class).mixInto(0) - mixedName(After.class));
        assertThat(before).isNotEqualTo(after);
    }

    private static int mixedName(Class<?> type) {
        int hash = TypeEntry.mix(TypeEntry.mix(0, "record"), type.getName());
        for (int i = 0; i < type.getRecordComponents().length * 2; i++) {
            hash *= 31;
        }
        return hash;
    }

    @Test
    void of_typeWithCodec_isNeverLookedInto() {
        TypeTable table = TypeTable.of(List.of(Threads.class), List.of(), List.of(new ThreadsCodec()));
        assertThat(types(table)).containsExactly(Threads.class);
        assertThat(types(TypeTable.of(List.of(), List.of(), List.of(new ThreadsCodec()))))
                .containsExactly(Threads.class);
    }

    private static final class ThreadsCodec implements PayloadCodec<Threads> {
        @Override
        public Class<Threads> type() {
            return Threads.class;
        }

        @Override
        public void write(Threads value, DataOutput output) {}

        @Override
        public Threads read(DataInput input) {
            return new Threads(List.of());
        }
    }
}

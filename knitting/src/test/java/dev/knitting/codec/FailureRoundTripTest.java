package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.TaskFailedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureRoundTripTest {
    private static final class Declared extends Exception {
        private static final long serialVersionUID = 1L;

        Declared(String message) {
            super(message);
        }
    }

    private static final class Undeclared extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Undeclared(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private static final class NoUsableConstructor extends Exception {
        private static final long serialVersionUID = 1L;

        NoUsableConstructor(int number) {
            super("number " + number);
        }
    }

    private static class Hostile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message for you");
        }

        @Override
        public synchronized Throwable getCause() {
            return getMessage() == null ? null : this;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            return new StackTraceElement[] {null};
        }
    }

    private static final class Recursive extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("InfiniteRecursion") // on purpose
        public String getMessage() {
            return getMessage() + getMessage();
        }
    }

    private final ValueCodec codec = Crossing.codec(Declared.class, NoUsableConstructor.class);

    private TaskFailedException cross(Throwable failure) {
        return (TaskFailedException) Crossing.crossFailure(codec, failure);
    }

    @Test
    void cross_jdkException_isRebuiltAsTheCause() {
        FileNotFoundException thrown = new FileNotFoundException("gone");
        thrown.addSuppressed(new IllegalStateException("suppressed"));
        TaskFailedException arrived = cross(thrown);
        assertThat(arrived.code()).isEqualTo(ErrorCode.TASK_FAILED);
        assertThat(arrived.remoteType()).isEqualTo("java.io.FileNotFoundException");
        assertThat(arrived.remoteMessage()).isEqualTo("gone");
        assertThat(arrived.getStackTrace()).isEqualTo(thrown.getStackTrace());
        assertThat(arrived.getCause())
                .isExactlyInstanceOf(FileNotFoundException.class)
                .hasMessage("gone");
        assertThat(arrived.getCause().getStackTrace()).isEqualTo(thrown.getStackTrace());
        assertThat(arrived.getCause().getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void cross_declaredException_isRebuiltAlsoWhenNotPublic() {
        assertThat(cross(new Declared("mine")).getCause())
                .isExactlyInstanceOf(Declared.class)
                .hasMessage("mine");
        assertThat(cross(new Declared(null)).remoteMessage()).isNull();
    }

    @Test
    void cross_otherException_tellsAboutItAndKeepsItsCauses() {
        TaskFailedException arrived = cross(new Undeclared("outer", new Undeclared("inner", new IOException("root"))));
        assertThat(arrived.remoteType()).isEqualTo(Undeclared.class.getName());
        assertThat(arrived).hasMessage(Undeclared.class.getName() + ": outer");
        TaskFailedException inner = (TaskFailedException) arrived.getCause();
        assertThat(inner.remoteMessage()).isEqualTo("inner");
        assertThat(inner.getCause()).isExactlyInstanceOf(IOException.class).hasMessage("root");
    }

    @Test
    void cross_constructorThatNeedsMore_tellsAboutIt() {
        TaskFailedException declared = cross(new NoUsableConstructor(7));
        assertThat(declared.remoteType()).isEqualTo(NoUsableConstructor.class.getName());
        assertThat(declared.remoteMessage()).isEqualTo("number 7");
        assertThat(declared.getCause()).isNull();
        TaskFailedException jdk = cross(new UncheckedIOException("io", new IOException("root")));
        assertThat(jdk.remoteType()).isEqualTo("java.io.UncheckedIOException");
        assertThat(jdk.getCause()).isExactlyInstanceOf(IOException.class);
    }

    @Test
    void cross_errors_crossToo() {
        assertThat(cross(new StackOverflowError()).getCause()).isExactlyInstanceOf(StackOverflowError.class);
        assertThat(cross(new AssertionError("x")).remoteMessage()).isEqualTo("x");
    }

    @Test
    void cross_cyclicCauses_ends() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        TaskFailedException arrived = cross(new Undeclared("outer", second));
        assertThat(arrived.getCause()).hasMessage("second");
        assertThat(arrived.getCause().getCause()).hasMessage("first");
        assertThat(arrived.getCause().getCause().getCause()).isNull();
    }

    @Test
    void cross_hostileThrowables_arriveWithLess() {
        TaskFailedException hostile = cross(new Hostile());
        assertThat(hostile.remoteType()).isEqualTo(Hostile.class.getName());
        assertThat(hostile.remoteMessage()).contains("getMessage threw java.lang.IllegalStateException");
        assertThat(cross(new Recursive()).remoteMessage()).contains("StackOverflowError");
    }

    @Test
    void cross_endlessCauses_areCut() {
        Throwable deep = new Undeclared("root", null);
        for (int i = 0; i < 10_000; i++) {
            deep = new Undeclared("level", deep);
        }
        int levels = 0;
        for (Throwable cause = cross(deep); cause != null; cause = cause.getCause()) {
            levels++;
        }
        assertThat(levels).isBetween(2, FailureWriter.MAX_CAUSES + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 511, 512, 513, 1000, 5000, 100_000, 10_000_000})
    void cross_hugeMessage_isCutToTheCap(int cap) {
        ValueCodec small = new ValueCodec(TypeTable.EMPTY, cap);
        Payload sent = new Payload();
        for (String message : List.of("x".repeat(5_000_000), "\u20ac".repeat(5_000_000))) {
            small.encodeFailure(new IOException(message, new IOException(message)), sent);
            assertThat(sent.bodyLength).isBetween(1L, Math.max(512L, Math.min(cap, 64 << 10)));
            TaskFailedException arrived = (TaskFailedException) small.decodeFailure(sent);
            assertThat(arrived.remoteType()).isEqualTo("java.io.IOException");
            assertThat(arrived.remoteMessage())
                    .hasSizeGreaterThan(20)
                    .isEqualTo(message.substring(0, arrived.remoteMessage().length()));
        }
    }

    @Test
    void cross_deepStack_keepsTheTop() {
        StackTraceElement[] frames = new StackTraceElement[100_000];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = new StackTraceElement("Type", "method" + i, "File.java", i);
        }
        Undeclared deep = new Undeclared("deep", null);
        deep.setStackTrace(frames);
        StackTraceElement[] arrived = cross(deep).getStackTrace();
        assertThat(arrived.length).isGreaterThan(100);
        assertThat(arrived[0]).isEqualTo(frames[0]);
    }

    @Test
    void cross_knittingException_keepsItsCode() {
        KnittingException thrown = KnittingException.of(ErrorCode.UNSUPPORTED_PAYLOAD, "no", "type", "Thread");
        KnittingException arrived = (KnittingException) Crossing.crossFailure(codec, thrown);
        assertThat(arrived).isExactlyInstanceOf(KnittingException.class).hasMessage("no: type=Thread");
        assertThat(arrived.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
        assertThat(arrived.getStackTrace()).isEqualTo(thrown.getStackTrace());
    }

    @Test
    void cross_failureOfANestedPool_isTheTasksFailure() {
        TaskFailedException nested = new TaskFailedException("a.B", "deep", new StackTraceElement[0], null);
        assertThat(cross(nested).remoteType()).isEqualTo(TaskFailedException.class.getName());
    }

    @Test
    void cross_throwableAsAValue_arrivesAsItself() {
        List<?> arrived = (List<?>) Crossing.cross(codec, List.of(new IOException("a"), new Declared("b")));
        assertThat((Throwable) arrived.get(0))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("a");
        assertThat((Throwable) arrived.get(1))
                .isExactlyInstanceOf(Declared.class)
                .hasMessage("b");
        assertThat((Throwable) Crossing.cross(codec, new Undeclared("c", null)))
                .isExactlyInstanceOf(TaskFailedException.class);
    }

    @Test
    void decodeFailure_unknownCodeOrTag_isCorrupt() {
        Payload sent = new Payload();
        codec.encodeFailure(KnittingException.of(ErrorCode.POOL_CLOSED, "x"), sent);
        sent.word0 = 12345;
        assertCorrupt(sent);
        sent.word0 = Long.MAX_VALUE;
        assertCorrupt(sent);
        codec.encode(1L, sent);
        assertCorrupt(sent);
    }

    private void assertCorrupt(Payload payload) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.decodeFailure(payload))
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.CORRUPT_PEER);
    }

    @Test
    void decodeFailure_classThatIsNoException_isNotMade(@TempDir Path directory) {
        Path file = directory.resolve("made by a peer");
        Payload sent = new Payload();
        ByteWriter out = sent.takeWriter();
        out.begin(1000);
        out.putByte(FailureWriter.HAS_MESSAGE);
        out.putLength(0);
        StructureWriter.writeString("java.io.FileOutputStream", out); // its constructor would create the file
        StructureWriter.writeString(file.toString(), out);
        out.putInt(0);
        out.putInt(0);
        sent.setBody(PayloadTag.FAILURE, out.segment(), out.position());
        TaskFailedException arrived = (TaskFailedException) codec.decodeFailure(sent);
        assertThat(arrived.remoteType()).isEqualTo("java.io.FileOutputStream");
        assertThat(arrived.getCause()).isNull();
        assertThat(file).doesNotExist();
    }
}

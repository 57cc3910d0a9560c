package dev.knitting.bench.peer;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Linux's way to let a process sleep on a word of shared memory, and nothing around it. */
final class Futex {
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final String ARCHITECTURE = System.getProperty("os.arch", "");
    private static final long NUMBER = ARCHITECTURE.equals("aarch64") ? 98 : 202;
    private static final MethodHandle SYSCALL = link();

    private Futex() {}

    /** Why this system cannot run it, or null. */
    static @Nullable String obstacle() {
        boolean isKnown = List.of("amd64", "x86_64", "aarch64").contains(ARCHITECTURE);
        return isKnown && System.getProperty("os.name", "").equals("Linux") ? null : "no futex on this system";
    }

    @SuppressWarnings("restricted") // the launcher allows native access; without it the JVM warns
    private static MethodHandle link() {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor shape = FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"), shape, Linker.Option.firstVariadicArg(1));
    }

    /** Sleeps while the word has this value, or until somebody wakes its sleepers; may return early. */
    static void await(MemorySegment word, int value) {
        call(word, WAIT, value);
    }

    /** Wakes one sleeper, if there is one. */
    static void wake(MemorySegment word) {
        call(word, WAKE, 1);
    }

    private static void call(MemorySegment word, int operation, int value) {
        try {
            long ignored =
                    (long) SYSCALL.invokeExact(NUMBER, word.address(), (long) operation, (long) value, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("futex failed: operation=" + operation, e);
        }
    }
}

package dev.knitting.escape;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** System calls of Linux on x86-64 as a hostile task makes them: past the JDK and past this library. */
@SuppressWarnings("restricted") // that is what is tested
final class Raw {
    private static final MethodHandle SYSCALL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1),
                    Linker.Option.captureCallState("errno"));

    private static final int EXIT_GROUP = 231;
    private static final int WAIT4 = 61;
    private static final long PARK_NANOS = 1_000_000;

    private Raw() {}

    /** The result, or the negated error number. */
    static long call(long number, long... arguments) {
        long[] a = java.util.Arrays.copyOf(arguments, 6);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(8, 8);
            long result = (long) SYSCALL.invokeExact(errno, number, a[0], a[1], a[2], a[3], a[4], a[5]);
            return result == -1 ? -errno.get(ValueLayout.JAVA_INT, 0) : result;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** The result, which must not be an error. */
    static long check(String what, long number, long... arguments) throws IOException {
        long result = call(number, arguments);
        if (result < 0) {
            throw new IOException(what + ": errno=" + -result);
        }
        return result;
    }

    /**
     * A system call that makes a process. The child is a copy of this JVM with one thread: if a safepoint was on its way,
     * it waits for ever for the others. So it is killed, by another thread since the call may return only when it has
     * ended (vfork).
     */
    static String fork(String what, long number, long... arguments) throws IOException {
        AtomicBoolean over = new AtomicBoolean();
        Thread killer = Thread.ofPlatform().daemon().start(() -> killChildren(over));
        long pid;
        try {
            pid = call(number, arguments);
            if (pid == 0) {
                call(EXIT_GROUP, 7);
            }
            if (pid < 0) {
                throw new IOException(what + ": errno=" + -pid);
            }
            try (Arena arena = Arena.ofConfined()) {
                check("wait4", WAIT4, pid, arena.allocate(8, 8).address(), 0, 0);
            }
        } finally {
            over.set(true);
            LockSupport.unpark(killer);
        }
        return "made process " + pid;
    }

    private static void killChildren(AtomicBoolean over) {
        while (!over.get()) {
            try {
                ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
            } catch (RuntimeException e) {
                return; // in a sandbox nobody sees processes, and there is none
            }
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    static String string(MemorySegment memory, long bytes) {
        return new String(memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** {@code struct sockaddr_in} of the loopback address. */
    static MemorySegment loopback(Arena arena, int port) {
        MemorySegment address = arena.allocate(16, 8);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) 2);
        address.set(ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) port);
        address.set(ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN), 4, 0x7F000001);
        return address;
    }

    /** {@code struct sockaddr_un}; an abstract name begins with a zero byte. */
    static MemorySegment unixName(Arena arena, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        MemorySegment address = arena.allocate(2L + bytes.length, 8);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, address, 2, bytes.length);
        return address;
    }
}

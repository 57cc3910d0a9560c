package dev.knitting.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The C library's {@code posix_spawn}. The JDK's own way to start a process will not do for a thread that gave up rights:
 * the JDK then makes a thread of its own that waits for the end, which inherits the loss, outlives the process and runs
 * other people's callbacks.
 *
 * <p>All functions are called through one shape, six words to an {@code int}: what a function does not take is ignored by
 * the calling conventions of x86-64 and aarch64. Initialising {@link Linked} links. Any thread.
 */
final class SpawnCalls {
    /** More than any C library's {@code posix_spawn_file_actions_t} or {@code posix_spawnattr_t} takes. */
    static final long STRUCT_BYTES = 1024;

    private static final short SET_SIGNAL_MASK = 8;
    private static final int FIRST_CLOSED = 3;

    private SpawnCalls() {}

    private static final class Linked {
        private static final SymbolLookup LIBRARY = lookup();
        static final MethodHandle SHAPE = link();
        static final @Nullable MemorySegment SPAWN = find("posix_spawnp");
        static final @Nullable MemorySegment ATTRIBUTES_INIT = find("posix_spawnattr_init");
        static final @Nullable MemorySegment ATTRIBUTES_FLAGS = find("posix_spawnattr_setflags");
        static final @Nullable MemorySegment ATTRIBUTES_MASK = find("posix_spawnattr_setsigmask");
        static final @Nullable MemorySegment ACTIONS_INIT = find("posix_spawn_file_actions_init");
        static final @Nullable MemorySegment ACTIONS_DUP2 = find("posix_spawn_file_actions_adddup2");
        static final @Nullable MemorySegment ACTIONS_CLOSE_FROM = find("posix_spawn_file_actions_addclosefrom_np");
        static final @Nullable MemorySegment ACTIONS_CHDIR = find("posix_spawn_file_actions_addchdir_np");

        private Linked() {}

        private static SymbolLookup lookup() {
            return Linker.nativeLinker().defaultLookup();
        }

        @SuppressWarnings("restricted") // guarded: callers ask NativeAccess.enabled() first
        private static MethodHandle link() {
            return Linker.nativeLinker()
                    .downcallHandle(FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG));
        }

        private static @Nullable MemorySegment find(String name) {
            return LIBRARY.find(name).orElse(null);
        }
    }

    /** Whether the C library can start a process that inherits no open file but the standard ones. */
    static boolean isSupported() {
        return Linked.SPAWN != null
                && Linked.ATTRIBUTES_MASK != null
                && Linked.ACTIONS_CLOSE_FROM != null
                && Linked.ACTIONS_CHDIR != null;
    }

    /**
     * Attributes with which the child blocks no signal.
     *
     * @return a {@code posix_spawnattr_t} that lives as long as the arena
     */
    static MemorySegment attributes(Arena arena) {
        MemorySegment attributes = arena.allocate(STRUCT_BYTES, 16);
        check(Linked.ATTRIBUTES_INIT, attributes.address(), 0, 0);
        check(Linked.ATTRIBUTES_FLAGS, attributes.address(), SET_SIGNAL_MASK, 0);
        check(
                Linked.ATTRIBUTES_MASK,
                attributes.address(),
                arena.allocate(128, 16).address(),
                0);
        return attributes;
    }

    /**
     * What the child does before it becomes the program: standard input and outputs, no other open file, its directory.
     *
     * @return a {@code posix_spawn_file_actions_t} that lives as long as the arena
     */
    static MemorySegment actions(Arena arena, int input, int output, MemorySegment directory) {
        MemorySegment actions = arena.allocate(STRUCT_BYTES, 16);
        check(Linked.ACTIONS_INIT, actions.address(), 0, 0);
        check(Linked.ACTIONS_DUP2, actions.address(), input, 0);
        check(Linked.ACTIONS_DUP2, actions.address(), output, 1);
        check(Linked.ACTIONS_DUP2, actions.address(), output, 2);
        check(Linked.ACTIONS_CLOSE_FROM, actions.address(), FIRST_CLOSED, 0);
        check(Linked.ACTIONS_CHDIR, actions.address(), directory.address(), 0);
        return actions;
    }

    /** Starts a program; 0 or an error number. The process id is stored at {@code pid}. */
    static int spawn(
            MemorySegment pid,
            MemorySegment program,
            MemorySegment actions,
            MemorySegment attributes,
            MemorySegment arguments,
            MemorySegment environment) {
        return call(
                Linked.SPAWN,
                pid.address(),
                program.address(),
                actions.address(),
                attributes.address(),
                arguments.address(),
                environment.address());
    }

    private static void check(@Nullable MemorySegment function, long a, long b, long c) {
        int error = call(function, a, b, c, 0, 0, 0);
        if (error != 0) {
            throw new IllegalStateException("preparing a process failed: errno=" + error);
        }
    }

    private static int call(@Nullable MemorySegment function, long a, long b, long c, long d, long e, long f) {
        if (function == null) {
            throw new IllegalStateException("the C library lacks a function of posix_spawn");
        }
        try {
            return (int) Linked.SHAPE.invokeExact(function, a, b, c, d, e, f);
        } catch (Throwable failure) {
            throw new IllegalStateException("a function of posix_spawn could not be called", failure);
        }
    }
}

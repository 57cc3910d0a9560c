package dev.knitting.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the original exception anew, of classes that the host may have: those of {@code java.*} packages with a public
 * constructor, and those of the table. What a peer names beyond these is never loaded.
 */
final class ThrowableFactory {
    private ThrowableFactory() {}

    /** The exception with message, stack, cause and suppressed ones; null if it cannot be made. */
    static @Nullable Throwable rebuild(RemoteThrowable remote, TypeTable types) {
        Class<?> type = classOf(remote, types);
        Throwable made = type == null ? null : make(type, remote.message());
        if (made == null) {
            return null;
        }
        try {
            made.setStackTrace(remote.stack());
            RemoteThrowable cause = remote.cause();
            if (cause != null) {
                made.initCause(FailureReader.toThrowable(cause, types));
            }
            for (RemoteThrowable suppressed : remote.suppressed()) {
                made.addSuppressed(FailureReader.toThrowable(suppressed, types));
            }
            return made;
        } catch (RuntimeException e) {
            // Its constructor set a cause of its own, or an overriding method refuses: the caller tells about it
            // instead.
            return null;
        }
    }

    private static @Nullable Class<?> classOf(RemoteThrowable remote, TypeTable types) {
        if (remote.index() >= 0) {
            TypeEntry entry = types.at(remote.index());
            return entry instanceof ThrowableType ? entry.type() : null;
        }
        return remote.type().startsWith("java.") ? jdkClass(remote.type()) : null;
    }

    private static @Nullable Class<?> jdkClass(String name) {
        try {
            Class<?> type = Class.forName(name, false, ClassLoader.getPlatformClassLoader());
            boolean isPublic =
                    Modifier.isPublic(type.getModifiers()) && type.getModule().isExported(type.getPackageName());
            return isPublic && Throwable.class.isAssignableFrom(type) ? type : null;
        } catch (ClassNotFoundException | LinkageError e) {
            return null; // a module that this side lacks: the name and the message still arrive
        }
    }

    private static @Nullable Throwable make(Class<?> type, @Nullable String message) {
        MethodHandles.Lookup lookup =
                StandardTypes.isOfJdk(type) ? MethodHandles.publicLookup() : UserAccess.lookupIn(type);
        MethodHandle withMessage = constructor(lookup, type, String.class);
        MethodHandle plain = withMessage == null || message == null ? constructor(lookup, type) : null;
        try {
            if (plain != null) {
                return (Throwable) plain.invoke();
            }
            return withMessage == null ? null : (Throwable) withMessage.invoke(message);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) { // constructors are user code; the name and the message still arrive
            return null;
        }
    }

    private static @Nullable MethodHandle constructor(
            MethodHandles.Lookup lookup, Class<?> type, Class<?>... parameters) {
        try {
            return lookup.findConstructor(type, MethodType.methodType(void.class, parameters));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }
}

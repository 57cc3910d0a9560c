package dev.knitting.boot;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The implementations of services in one worker: one object of each class, made at its first use and closed with the
 * worker. The worker's thread only.
 */
public final class ServiceObjects implements AutoCloseable {
    private final Map<String, Object> objects = new LinkedHashMap<>();

    /** None yet. */
    public ServiceObjects() {}

    /**
     * The object of this class.
     *
     * @param className a class with a public constructor without parameters
     * @param service the interface that it implements
     * @param loader where it is looked for
     * @throws KnittingException {@link ErrorCode#TASK_NOT_FOUND} if there is no such class, {@link
     *     ErrorCode#STARTUP_FAILED} if it cannot be made or does not implement the interface
     */
    public Object get(String className, Class<?> service, @Nullable ClassLoader loader) {
        Object known = objects.get(className);
        if (known == null) {
            known = make(className, loader);
            objects.put(className, known);
        }
        if (!service.isInstance(known)) {
            throw failed(
                    ErrorCode.STARTUP_FAILED,
                    "the implementation of a service is of another type",
                    service.getName(),
                    className,
                    null);
        }
        return known;
    }

    private static Object make(String className, @Nullable ClassLoader loader) {
        try {
            Constructor<?> constructor = Class.forName(className, true, loader).getConstructor();
            constructor.setAccessible(true); // the class itself need not be public
            return constructor.newInstance();
        } catch (ClassNotFoundException e) {
            throw failed(
                    ErrorCode.TASK_NOT_FOUND, "no such class in the worker", "is on the worker's path", className, e);
        } catch (NoSuchMethodException e) {
            throw failed(
                    ErrorCode.STARTUP_FAILED,
                    "the implementation of a service cannot be made",
                    "a public constructor without parameters",
                    className,
                    e);
        } catch (InvocationTargetException e) {
            throw failed(ErrorCode.STARTUP_FAILED, "the constructor of a service threw", null, className, e.getCause());
        } catch (ReflectiveOperationException | InaccessibleObjectException | LinkageError e) {
            throw failed(
                    ErrorCode.STARTUP_FAILED, "the implementation of a service cannot be made", null, className, e);
        }
    }

    private static KnittingException failed(
            ErrorCode code, String what, @Nullable String needed, String className, @Nullable Throwable cause) {
        String message = needed == null
                ? KnittingException.message(what, "class", className, "option", "service")
                : KnittingException.message(what, "class", className, "option", "service", "needed", needed);
        return new KnittingException(code, message, cause);
    }

    /** Closes those that are {@link AutoCloseable}, the last one made first. A failure is logged. */
    @Override
    public void close() {
        List<Object> all = new ArrayList<>(objects.values());
        objects.clear();
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i) instanceof AutoCloseable closeable) {
                try {
                    closeable.close();
                } catch (Exception | LinkageError | StackOverflowError e) {
                    System.getLogger("dev.knitting")
                            .log(System.Logger.Level.WARNING, "a service did not close: " + closeable.getClass(), e);
                }
            }
        }
    }
}

package dev.knitting.host;

import dev.knitting.Task;
import dev.knitting.TaskFailedException;
import dev.knitting.boot.TaskMethod;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What stands for a service in the host: turns each call of a method into a call of the pool. What is the same for all
 * calls of a method was found when the pool opened. Any thread.
 */
final class ServiceProxy implements InvocationHandler {
    /**
     * A method.
     *
     * @param entry its task
     * @param async whether it returns the call itself
     * @param declared exceptions that arrive as themselves
     */
    private record Target(TaskEntry entry, boolean async, Class<?>[] declared) {}

    private final ServiceCaller pool;
    private final String text;
    private final Map<Method, Target> targets = new HashMap<>();

    private ServiceProxy(ServiceCaller pool, String text) {
        this.pool = pool;
        this.text = text;
    }

    /**
     * The stand-in of a service.
     *
     * @param entries of the methods that are calls
     */
    static Object create(
            Class<?> service, ServiceMethods methods, Map<Method, TaskEntry> entries, ServiceCaller pool, String name) {
        ServiceProxy handler = new ServiceProxy(pool, service.getName() + " in pool " + name);
        methods.all().forEach((method, call) -> {
            TaskEntry entry = java.util.Objects.requireNonNull(entries.get(call));
            handler.targets.put(
                    method,
                    new Target(entry, TaskMethod.formOfService(call) == Task.Form.ASYNC, call.getExceptionTypes()));
        });
        return Proxy.newProxyInstance(service.getClassLoader(), new Class<?>[] {service}, handler);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Target target = targets.get(method);
        if (target == null) {
            return ofObject(proxy, method, arguments);
        }
        TaskEntry entry = target.entry;
        Object argument = arguments == null ? null : entry.spreads() ? arguments : arguments[0];
        if (target.async) {
            return pool.submitEntry(entry, argument);
        }
        try {
            return pool.invokeEntry(entry, argument);
        } catch (TaskFailedException e) {
            throw asDeclared(e, target.declared);
        }
    }

    private static Throwable asDeclared(TaskFailedException failure, Class<?>[] declared) {
        Throwable original = failure.getCause();
        if (original != null && original.getClass().getName().equals(failure.remoteType())) {
            for (Class<?> type : declared) {
                if (type.isInstance(original)) {
                    return original;
                }
            }
        }
        return failure;
    }

    @SuppressWarnings("ReferenceEquality") // a stand-in is equal to itself only
    private Object ofObject(Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> text; // toString: these three are all that reach a handler
        };
    }
}

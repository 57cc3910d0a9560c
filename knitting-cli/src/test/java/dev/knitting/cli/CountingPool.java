package dev.knitting.cli;

import dev.knitting.Call;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A pool of threads that counts how many calls are open at once. */
final class CountingPool implements InvocationHandler {
    private final int workers;
    private final boolean copying;
    private @Nullable Pool threads;
    private final Deque<Call<?>> open = new ArrayDeque<>();
    private int mostOpen;

    private CountingPool(int workers, boolean copying) {
        this.workers = workers;
        this.copying = copying;
    }

    /** A pool that is not open yet; its threads get and return references. */
    static CountingPool of(int workers) {
        return new CountingPool(workers, false);
    }

    /** A pool that is not open yet; arguments and results are copied, as processes would see them. */
    static CountingPool copying(int workers) {
        return new CountingPool(workers, true);
    }

    /** Opens the pool; every method is the real one. As {@link Knit.PoolOpener}. */
    Pool open(PoolBuilder wanted, Task<?, ?> task) {
        Class<?>[] registered = wanted.options().registered().toArray(Class<?>[]::new);
        threads = Pool.threads(workers)
                .name("test")
                .copyArguments(copying)
                .register(registered)
                .tuning(tuning -> wanted.options().tuning())
                .open(task);
        return (Pool) Proxy.newProxyInstance(Pool.class.getClassLoader(), new Class<?>[] {Pool.class}, this);
    }

    /** The largest number of calls that were submitted and not settled at one time. */
    synchronized int mostOpen() {
        return mostOpen;
    }

    /** Whether the pool was opened and closed again. */
    boolean isClosed() {
        return threads != null && threads.isClosed();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object result;
        try {
            result = method.invoke(threads, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (result instanceof Call<?> call) {
            count(call);
        }
        return result;
    }

    private synchronized void count(Call<?> call) {
        open.removeIf(Call::isDone);
        open.add(call);
        mostOpen = Math.max(mostOpen, open.size());
    }
}

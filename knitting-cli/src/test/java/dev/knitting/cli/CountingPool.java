package dev.knitting.cli;

import dev.knitting.Call;
import dev.knitting.Pool;
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
    private @Nullable Pool threads;
    private final Deque<Call<?>> open = new ArrayDeque<>();
    private int mostOpen;

    private CountingPool(int workers) {
        this.workers = workers;
    }

    /** A pool that is not open yet. */
    static CountingPool of(int workers) {
        return new CountingPool(workers);
    }

    /** Opens the pool; every method is the real one. */
    Pool pool() {
        threads = Pool.threads(workers).name("test").open();
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

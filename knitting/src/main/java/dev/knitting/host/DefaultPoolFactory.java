package dev.knitting.host;

import dev.knitting.Pool;
import dev.knitting.PoolFactory;
import dev.knitting.PoolOptions;
import dev.knitting.SharedBuffer;

/** Found by {@link java.util.ServiceLoader}; opens the pools of this engine. */
public final class DefaultPoolFactory implements PoolFactory {
    /** For the service loader. */
    public DefaultPoolFactory() {}

    @Override
    public Pool open(PoolOptions options) {
        return Engine.open(options);
    }

    @Override
    public Pool direct(PoolOptions options) {
        return new DirectPool(options);
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        return LocalBuffers.allocate(bytes);
    }
}

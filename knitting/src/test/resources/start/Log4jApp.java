package app;

import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** An application that logs on both sides. */
public final class Log4jApp {
    private static final Logger LOG = LogManager.getLogger(Log4jApp.class);

    private static String work() {
        LOG.info("from the worker");
        return "done";
    }

    /** Arguments: {@code name=value}, system properties of the workers. */
    public static void main(String[] arguments) {
        LOG.info("from the host");
        PoolBuilder builder = Pool.processes(1).name("app");
        for (String argument : arguments) {
            String[] pair = argument.split("=");
            builder.jvm(j -> j.systemProperty(pair[0], pair[1]));
        }
        try (Pool pool = builder.open()) {
            System.out.println("result=" + pool.invoke(() -> work()));
        }
    }
}

package dev.knitting.host;

import dev.knitting.Debug;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Stealing;
import dev.knitting.Task;
import java.util.Locale;

/** A host of its own, whose standard error belongs to one test. */
public final class DebugProgram {
    static final int STOLEN_CALLS = 50;

    static final Task<String, String> CHANGE_GLOBALS = Task.of(DebugProgram::changeGlobals);

    private DebugProgram() {}

    static String changeGlobals(String value) throws InterruptedException {
        System.setProperty("test.secret", value);
        Locale.setDefault(Locale.JAPAN);
        Thread.ofPlatform().daemon().name("left-by-a-task").start(DebugProgram::sleepForEver);
        System.err.println("[signals.mine.+1.000ms] printed by a task");
        return value;
    }

    private static void sleepForEver() {
        while (true) {
            java.util.concurrent.locks.LockSupport.park();
        }
    }

    /** @param arguments isolation, then what to do, then namespaces of the option */
    public static void main(String[] arguments) {
        PoolBuilder builder = Pool.of(Isolation.valueOf(arguments[0]))
                .name("dbg")
                .workers(arguments[1].equals("steal") ? 2 : 1)
                .jvm(jvm -> jvm.maxHeap("64m").systemProperty("pass.word", "hidden-value"));
        for (int i = 2; i < arguments.length; i++) {
            builder.debug(Debug.valueOf(arguments[i]));
        }
        if (arguments[1].equals("bad")) {
            try {
                builder.open();
            } catch (KnittingException e) {
                System.out.println(e.code() + ": " + e.getMessage());
            }
            return;
        }
        if (arguments[1].equals("steal")) {
            builder.tuning(tuning -> tuning.stealing(Stealing.ON));
        }
        try (Pool pool = builder.open(ContractTasks.INC)) {
            switch (arguments[1]) {
                case "calls" -> {
                    System.out.println(pool.invoke(ContractTasks.INC, 41L));
                    try {
                        pool.invoke(ContractTasks.FAIL, "no");
                    } catch (RuntimeException e) {
                        System.out.println(e.getMessage());
                    }
                }
                case "steal" -> {
                    for (long i = 0; i < STOLEN_CALLS; i++) {
                        pool.submit(ContractTasks.INC, i).join();
                    }
                }
                case "globals" -> System.out.println(pool.invoke(CHANGE_GLOBALS, "top-secret"));
                case "death" -> {
                    try {
                        pool.invoke(DeathTasks.EXIT, 7);
                    } catch (KnittingException e) {
                        System.out.println(e.code());
                    }
                    System.out.println(pool.invoke(ContractTasks.INC, 1L));
                }
                default -> throw new IllegalArgumentException(arguments[1]);
            }
        }
    }
}

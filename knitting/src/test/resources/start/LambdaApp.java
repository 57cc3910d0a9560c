package app;

import dev.knitting.Pool;

/** A lambda whose body uses a class that nothing else uses. */
public final class LambdaApp {
    private static final class OnlyInTheBody {
        static String name() {
            return "body";
        }
    }

    public static void main(String[] arguments) {
        try (Pool pool = Pool.processes(1).open()) {
            System.out.println("result=" + pool.invoke(() -> OnlyInTheBody.name()));
        }
    }
}

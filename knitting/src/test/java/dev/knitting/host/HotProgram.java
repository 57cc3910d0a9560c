package dev.knitting.host;

import dev.knitting.Isolation;
import dev.knitting.Pool;

/** A host that calls until the compilers have done what they do, with a log of theirs. */
public final class HotProgram {
    private HotProgram() {}

    /** @param arguments isolation, number of calls, log file of the worker's compilers or nothing */
    public static void main(String[] arguments) {
        long calls = Long.parseLong(arguments[1]);
        try (Pool pool = Pool.of(Isolation.valueOf(arguments[0]))
                .workers(1)
                .jvm(jvm -> arguments.length > 2
                        ? jvm.options(
                                "-XX:+UnlockDiagnosticVMOptions",
                                "-XX:+LogCompilation",
                                "-Xbatch",
                                "-XX:LogFile=" + arguments[2],
                                "-XX:Tier4InvocationThreshold=2000",
                                "-XX:Tier4MinInvocationThreshold=500")
                        : jvm)
                .open(ContractTasks.INC)) {
            long sum = 0;
            for (long i = 0; i < calls; i++) {
                sum += pool.invoke(ContractTasks.INC, i);
            }
            System.out.println("sum=" + sum);
        }
    }
}

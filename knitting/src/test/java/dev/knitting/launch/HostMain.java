package dev.knitting.launch;

import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A host program of its own, for what depends on how a host was started and how it ends. */
public final class HostMain {
    private HostMain() {}

    public static void main(String[] args) throws Exception {
        PoolOptions options = Pool.processes().workers(1).name("host").options();
        WorkerCommand command = WorkerCommand.of(options, true, ChildMain.class.getName());
        CountDownLatch printed = new CountDownLatch(1);
        ProcessLauncher launcher = new ProcessLauncher("host", (pool, worker, line) -> {
            System.out.println(line);
            printed.countDown();
        });
        switch (args[0]) {
            case "arguments" -> System.out.println(HostArguments.get());
            case "describe" -> {
                WorkerProcess worker = launcher.start(command, 0, null, List.of("describe"));
                worker.exit().get(30, TimeUnit.SECONDS);
                launcher.close();
                command.close();
            }
            case "leave" -> {
                WorkerProcess worker = launcher.start(command, 0, null, List.of("wait"));
                if (!printed.await(30, TimeUnit.SECONDS)) {
                    throw new IllegalStateException(worker.output().text());
                }
                System.out.println("pid=" + worker.pid());
                System.out.println("directory=" + command.directory());
                System.exit(0);
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}

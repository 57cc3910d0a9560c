package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pool that a task's class opens as a constant is inert in workers. The classes here are initialised there only. */
class NestedPoolTest {
    private static String use(Pool pool) {
        StringBuilder seen = new StringBuilder();
        try {
            pool.invoke(ContractTasks.INC, 1L);
        } catch (KnittingException e) {
            seen.append(e.code()).append(' ').append(e.getMessage().contains("pool=inner"));
        }
        try {
            pool.service(ServiceApi.Small.class).twice(1);
        } catch (KnittingException e) {
            seen.append(' ').append(e.code());
        }
        seen.append(' ').append(pool.isClosed()).append(' ').append(pool.workers());
        seen.append(' ').append(pool.shutdown(Duration.ZERO));
        pool.close();
        long children = ProcessHandle.current().children().count();
        return seen.append(' ').append(children).toString();
    }

    /** For process workers: initialised in the worker process. */
    static final class InProcess {
        static final Pool POOL = Pool.processes(2)
                .name("inner")
                .service(ServiceApi.Small.class, ServiceApi.SmallWorker.class.getName())
                .open(ContractTasks.INC);
        static final ServiceApi.Small SMALL = POOL.service(ServiceApi.Small.class);

        private InProcess() {}

        static String run() {
            return use(POOL);
        }

        /** A thread that a task starts is in the worker as well. */
        static String runElsewhere() throws InterruptedException {
            String[] seen = new String[1];
            Thread thread = new Thread(() -> {
                try (Pool pool = Pool.threads(1).name("inner").open()) {
                    seen[0] = use(pool);
                }
            });
            thread.start();
            thread.join();
            return seen[0];
        }
    }

    /** For thread workers: initialised by the worker's thread. */
    static final class InThread {
        static final Pool POOL = Pool.threads(2)
                .name("inner")
                .service(ServiceApi.Small.class, ServiceApi.SmallWorker.class.getName())
                .open(ContractTasks.INC);

        private InThread() {}

        static String run() {
            String seen = use(POOL);
            return seen.substring(0, seen.lastIndexOf(' ')) + " 0"; // children here are the host's
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void poolConstant_ofATasksClass_isInertInTheWorker(Isolation isolation) {
        Class<?> owner = isolation == Isolation.PROCESSES ? InProcess.class : InThread.class;
        Task<Void, String> run = Task.named(owner.getName(), "run", void.class, String.class);
        try (Pool pool = Pool.of(isolation).workers(1).open(run)) {
            assertThat(pool.invoke(run)).isEqualTo("NESTED_POOL true NESTED_POOL false 0 true 0");
        }
    }

    @ParameterizedTest
    @EnumSource(value = Isolation.class, names = "PROCESSES")
    void poolOfAThreadThatATaskStarted_isInertInTheProcess(Isolation isolation) {
        Task<Void, String> run = Task.named(InProcess.class.getName(), "runElsewhere", void.class, String.class);
        try (Pool pool = Pool.of(isolation).workers(1).open(run)) {
            assertThat(pool.invoke(run)).isEqualTo("NESTED_POOL true NESTED_POOL false 0 true 0");
        }
    }
}

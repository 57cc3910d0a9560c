package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.TaskFailedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Typed services, the same in every kind of pool. */
@ParameterizedClass(name = "{0}")
@MethodSource("kinds")
class ServiceTest {
    record Kind(String name, boolean inProcess, boolean copies) {
        PoolBuilder builder() {
            return switch (name) {
                case "processes" -> Pool.processes(2).jvm(jvm -> jvm.maxHeap("256m"));
                case "threads, copies" -> Pool.threads(2).copyArguments(true);
                default -> Pool.threads(2);
            };
        }

        Pool open(PoolBuilder builder) {
            return name.equals("direct") ? builder.direct() : builder.open();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("processes", false, true),
                new Kind("threads", true, false),
                new Kind("threads, copies", true, true),
                new Kind("direct", true, true));
    }

    private static Pool shared;

    @Parameter
    Kind kind;

    @TempDir
    Path directory;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        shared = kind.open(kind.builder().service(ServiceApi.Everything.class, ServiceApi.Worker.class.getName()));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        shared.close();
    }

    private static ServiceApi.Everything service() {
        return shared.service(ServiceApi.Everything.class);
    }

    // ---- shapes of methods

    @Test
    void call_noArgument_returnsResult() {
        assertThat(service().nothing()).isEqualTo("nothing");
    }

    @Test
    void call_everyPrimitive_arrives() {
        assertThat(service().primitives(true, (byte) 1, (short) 2, 'c', 4, 5L, 6.5f, 7.25))
                .isEqualTo("true 1 2 c 4 5 6.5 7.25");
        assertThat(service().plus(40, 2)).isEqualTo(42L);
        assertThat(service().half(3)).isEqualTo(1.5);
        assertThat(service().not(true)).isFalse();
        assertThat(service().next('a')).isEqualTo('b');
    }

    @Test
    void call_voidMethod_ranInTheWorker() {
        service().remember("one");
        service().remember(null);
        assertThat(service().nothing()).isEqualTo("nothing");
    }

    @Test
    void call_overloads_eachReachesItsOwn() {
        assertThat(service().over(1)).isEqualTo("int");
        assertThat(service().over(1L)).isEqualTo("long");
        assertThat(service().over("1")).isEqualTo("String");
        assertThat(service().over("1", 2)).isEqualTo("String, int");
        assertThat(service().over(null, 2)).isEqualTo("null, int");
    }

    @Test
    void call_varargs_areAnArray() {
        assertThat(service().join("a", "b", "c")).isEqualTo("a-b-c");
        assertThat(service().join()).isEmpty();
    }

    @Test
    void call_genericPayload_roundTrips() {
        ServiceApi.Doc doc = new ServiceApi.Doc("title", List.of(1, 2));
        Map<String, List<ServiceApi.Doc>> shelves = service().shelve(List.of(doc, doc), "left");
        assertThat(shelves).isEqualTo(Map.of("left", List.of(doc, doc)));
    }

    @Test
    void call_inheritedGenericMethod_usesTheTypeThatTheInterfaceFixes() {
        ServiceApi.Doc doc = new ServiceApi.Doc("title", List.of());
        assertThat(service().echo(doc)).isEqualTo(doc);
        assertThat(service().all(List.of(doc))).containsExactly(doc);
        ServiceApi.Base<ServiceApi.Doc> base = service();
        assertThat(base.echo(doc)).isEqualTo(doc);
    }

    @Test
    void call_narrowedByTheInterface_worksThroughTheWiderView() {
        ServiceApi.Doc doc = new ServiceApi.Doc("narrow", List.of());
        ServiceApi.Base<ServiceApi.Doc> base = service();
        assertThat(base.narrowed(doc)).isEqualTo(doc);
        assertThat(service().narrowed(doc)).isEqualTo(doc);
    }

    @Test
    void call_defaultMethod_runsInTheWorkerWhereItMayBeOverridden() {
        assertThat(service().inherited()).isEqualTo("default: nothing");
        assertThat(service().overridden()).isEqualTo("of the implementation");
        if (!kind.inProcess) {
            assertThat(service().pidOfDefault())
                    .isNotEqualTo(ProcessHandle.current().pid());
        }
    }

    @Test
    void objectMethods_ofTheStandIn_stayInTheHost() {
        ServiceApi.Everything service = service();
        assertThat(service).isEqualTo(service()).isNotEqualTo(null).isSameAs(service());
        assertThat(service.hashCode()).isEqualTo(System.identityHashCode(service));
        assertThat(service.toString()).contains(ServiceApi.Everything.class.getName());
        assertThat(service.equals("another")).isFalse();
    }

    // ---- where it runs

    @Test
    void calls_ofOneWorker_meetOneObject() {
        Set<String> workers = new TreeSet<>();
        Map<String, Long> last = new java.util.HashMap<>();
        for (int i = 0; i < 200; i++) {
            String answer = service().count();
            String worker = answer.substring(0, answer.indexOf(' '));
            long count = Long.parseLong(answer.substring(answer.indexOf(' ') + 1));
            if (workers.add(worker)) {
                last.put(worker, count);
            } else {
                assertThat(count).as(worker).isGreaterThan(last.put(worker, count));
            }
        }
        assertThat(workers).hasSizeBetween(1, 2);
    }

    @Test
    void arguments_areCopiedWhereTheWorkersAre() {
        List<String> list = new ArrayList<>(List.of("a"));
        service().clear(list, "unused");
        assertThat(list).isEqualTo(kind.copies ? List.of("a") : List.of());
    }

    // ---- asynchronous

    @Test
    void asyncMethod_returnsTheCall() {
        CompletableFuture<String> call = service().later("x", 1);
        assertThat(call).isInstanceOf(Call.class);
        assertThat(call.join()).isEqualTo("x1");
        assertThat(service().stage("y").toCompletableFuture().join()).isEqualTo("y");
        assertThat(service().docLater("z").join()).isEqualTo(new ServiceApi.Doc("z", List.of()));
    }

    @Test
    void asyncMethod_stageNotComplete_itsWorkerServesOthers() {
        PoolBuilder builder =
                kind.builder().workers(1).service(ServiceApi.Meeting.class, ServiceApi.MeetingWorker.class.getName());
        try (Pool pool = kind.open(builder)) {
            ServiceApi.Meeting meeting = pool.service(ServiceApi.Meeting.class);
            CompletableFuture<String> met = meeting.arrive();
            meeting.leave("met");
            assertThat(met.join()).isEqualTo("met");
        }
    }

    @Test
    void asyncMethod_fails_callFailsWithTheTasksException() throws IOException {
        assertThatThrownBy(service().failLater("gone")::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(TaskFailedException.class)
                .hasMessageContaining("gone")
                .cause()
                .isInstanceOf(IOException.class);
    }

    @Test
    void asyncMethod_returnsNoStage_callFails() {
        assertThatThrownBy(service().noStage()::join)
                .cause()
                .isInstanceOf(TaskFailedException.class)
                .hasMessageContaining("no stage");
    }

    // ---- failures

    @Test
    void declaredChecked_arrivesAsItself() {
        assertThatThrownBy(() -> service().load("a.txt"))
                .isExactlyInstanceOf(FileNotFoundException.class)
                .hasMessage("a.txt");
        assertThatThrownBy(() -> service().check(7))
                .isExactlyInstanceOf(ServiceApi.Rejected.class)
                .hasMessage("7");
    }

    @Test
    void undeclared_arrivesAsTaskFailed() {
        assertThatThrownBy(() -> service().over("boom", -1))
                .isInstanceOf(TaskFailedException.class)
                .hasMessageContaining("boom")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void pool_closed_methodsFail() {
        Pool pool = kind.open(kind.builder().service(ServiceApi.Small.class, ServiceApi.SmallWorker.class.getName()));
        ServiceApi.Small small = pool.service(ServiceApi.Small.class);
        assertThat(small.twice(4)).isEqualTo(8);
        pool.close();
        assertThatThrownBy(() -> small.twice(4))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
    }

    @Test
    void service_notOfThePool_isRefusedByName() {
        assertThatThrownBy(() -> shared.service(ServiceApi.Small.class))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_TASK))
                .hasMessageContaining("service=" + ServiceApi.Small.class.getName());
    }

    // ---- life of the implementation

    @Test
    void implementation_closeable_isClosedWithItsWorker() throws IOException {
        Path journal = directory.resolve("journal");
        try (Pool pool =
                kind.open(kind.builder().service(ServiceApi.Journal.class, ServiceApi.JournalWorker.class.getName()))) {
            pool.service(ServiceApi.Journal.class).start(journal.toString());
            assertThat(journal).doesNotExist();
        }
        assertThat(Files.readString(journal)).isEqualTo("closed");
    }

    @Test
    void implementation_ofTwoServices_isOneObject() {
        PoolBuilder builder = kind.builder()
                .workers(1)
                .service(ServiceApi.Reader.class, ServiceApi.Register.class.getName())
                .service(ServiceApi.Writer.class, ServiceApi.Register.class.getName());
        try (Pool pool = kind.open(builder)) {
            pool.service(ServiceApi.Writer.class).write("kept");
            assertThat(pool.service(ServiceApi.Reader.class).read()).isEqualTo("kept");
        }
    }

    @Test
    void open_constructorThrows_failsWithTheReason() {
        assertOpenFails(ServiceApi.Broken.class.getName(), ErrorCode.STARTUP_FAILED)
                .hasStackTraceContaining("constructor of a service threw")
                .hasStackTraceContaining("IllegalStateException: not today");
    }

    @Test
    void open_noSuchImplementation_failsByName() {
        assertOpenFails("com.acme.Missing", ErrorCode.TASK_NOT_FOUND).hasStackTraceContaining("com.acme.Missing");
    }

    @Test
    void open_implementationOfSomethingElse_failsByName() {
        assertOpenFails(ServiceApi.Register.class.getName(), ErrorCode.STARTUP_FAILED)
                .hasStackTraceContaining(ServiceApi.Register.class.getName())
                .hasStackTraceContaining(ServiceApi.Small.class.getName());
    }

    @Test
    void open_noPublicConstructor_failsByName() {
        assertOpenFails(ServiceApi.Hidden.class.getName(), ErrorCode.STARTUP_FAILED)
                .hasStackTraceContaining("public constructor");
    }

    private org.assertj.core.api.AbstractThrowableAssert<?, ?> assertOpenFails(String implementation, ErrorCode code) {
        PoolBuilder builder = kind.builder().service(ServiceApi.Small.class, implementation);
        return assertThatThrownBy(() -> kind.open(builder).close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void open_methodShowsATypeThatCannotCross_isRefusedByName() {
        PoolBuilder builder = kind.builder().service(ServiceApi.Opaque.class, ServiceApi.OpaqueWorker.class.getName());
        if (!kind.copies) {
            try (Pool pool = kind.open(builder)) {
                Thread thread = Thread.currentThread();
                assertThat(pool.service(ServiceApi.Opaque.class).same(thread)).isSameAs(thread);
            }
            return;
        }
        assertThatThrownBy(() -> kind.open(builder).close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD))
                .hasMessageContaining("java.lang.Thread");
    }

    // ---- options

    @Test
    void builder_noInterface_isRefused() {
        PoolBuilder builder = kind.builder();
        assertThatThrownBy(() -> builder.service(String.class, "x"))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION))
                .hasMessageContaining("java.lang.String");
        assertThatThrownBy(() -> builder.service(ServiceApi.Closed.class, "x")).hasMessageContaining("sealed");
    }

    @Test
    void builder_twoImplementationsOfOneService_isRefused() {
        PoolBuilder builder = kind.builder().service(ServiceApi.Small.class, "com.acme.First");
        assertThatThrownBy(() -> builder.service(ServiceApi.Small.class, "com.acme.Second"))
                .hasMessageContaining("com.acme.First");
    }
}

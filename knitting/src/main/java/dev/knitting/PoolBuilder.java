package dev.knitting;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Collects a pool's options. A bad value fails in its setter; a contradiction fails in {@link #options()}, naming both
 * options. Not thread-safe; may be opened more than once.
 */
public final class PoolBuilder {
    private final Isolation isolation;
    private int workers = 1;
    private String name = "knitting";
    private int queueCapacity = PoolOptions.DEFAULT_QUEUE_CAPACITY;
    private QueuePolicy queuePolicy = QueuePolicy.BLOCK;
    private boolean allowOnHost;
    private boolean copyArguments;
    private Memory memory = Memory.AUTOMATIC;
    private @Nullable Path memoryDirectory;
    private Doorbells doorbells = Doorbells.AUTOMATIC;
    private boolean segmentPerWorker;
    private final List<Path> addedClassPath = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<Class<?>> registered = new ArrayList<>();
    private final List<Class<? extends PayloadCodec<?>>> codecs = new ArrayList<>();
    private JvmOptions jvm = JvmOptions.DEFAULTS;
    private PayloadOptions payload = PayloadOptions.DEFAULTS;
    private TuningOptions tuning = TuningOptions.DEFAULTS;
    private Duration startTimeout = PoolOptions.DEFAULT_START_TIMEOUT;
    private final List<String> commandPrefix = new ArrayList<>();
    private @Nullable OutputListener output;
    private boolean debugWorkers;
    private final Set<Debug> debug = EnumSet.noneOf(Debug.class);
    private @Nullable Executor callbackExecutor;
    private CodeOptions code = CodeOptions.DEFAULTS;
    private SupervisionOptions supervision = SupervisionOptions.DEFAULTS;
    private ResourceOptions resources = ResourceOptions.NONE;

    PoolBuilder(Isolation isolation) {
        this.isolation = isolation;
    }

    /** How many workers, 1 to {@value PoolOptions#MAX_WORKERS}. */
    public PoolBuilder workers(int count) {
        this.workers = PoolOptions.checkRange("workers", count, 1, PoolOptions.MAX_WORKERS);
        return this;
    }

    /** The pool's name, part of thread names and log lines; not empty. */
    public PoolBuilder name(String text) {
        if (text.isBlank()) {
            throw KnittingException.of(ErrorCode.BAD_OPTION, "option out of range", "option", "name", "value", text);
        }
        this.name = text;
        return this;
    }

    /** How many calls may wait in the host when every mailbox is full, and what happens beyond. */
    public PoolBuilder queue(int capacity, QueuePolicy policy) {
        this.queueCapacity = PoolOptions.checkRange("queue", capacity, 1, Integer.MAX_VALUE);
        this.queuePolicy = policy;
        return this;
    }

    /**
     * Whether a pool of processes may run tasks in the host, as {@link QueuePolicy#CALLER_RUNS} does. Default false: code
     * that processes keep apart does not come into the host because a queue is full.
     */
    public PoolBuilder allowOnHost(boolean allow) {
        this.allowOnHost = allow;
        return this;
    }

    /** Whether thread workers get copies, as process workers do. Default false: they get references. */
    public PoolBuilder copyArguments(boolean copy) {
        this.copyArguments = copy;
        return this;
    }

    /** How workers come to the shared memory. Default {@link Memory#AUTOMATIC}. */
    public PoolBuilder memory(Memory kind) {
        this.memory = kind;
        return this;
    }

    /** Directory for named or portable memory; default {@code /dev/shm} or the temporary directory. */
    public PoolBuilder memoryDirectory(Path directory) {
        this.memoryDirectory = directory;
        return this;
    }

    /** How a sleeping side is woken. Default {@link Doorbells#AUTOMATIC}. */
    public PoolBuilder doorbells(Doorbells kind) {
        this.doorbells = kind;
        return this;
    }

    /** Whether each worker maps a segment of its own, and so cannot see another worker's memory. Default false. */
    public PoolBuilder segmentPerWorker(boolean separate) {
        this.segmentPerWorker = separate;
        return this;
    }

    /**
     * Adds a typed service: {@link Pool#service} hands out its interface, and each call of a method runs in a worker,
     * on that worker's one object of the implementation. The host never loads the implementation.
     *
     * <p>A method takes and returns payload types, generics included. One that returns {@link
     * java.util.concurrent.CompletableFuture} or {@link java.util.concurrent.CompletionStage} is asynchronous: the
     * caller gets a {@link Call}. Default methods run in the worker like all others; static ones and those of {@link
     * Object} stay in the host. The object is made before the worker takes calls and closed with it if it is {@link
     * AutoCloseable}; it is used by one thread only, unless its own asynchronous work uses others.
     *
     * @param type an interface, on the worker's class path too
     * @param implementation binary name of a class that implements it, with a public constructor without parameters
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if the type is no interface, or has an implementation
     */
    public PoolBuilder service(Class<?> type, String implementation) {
        if (!type.isInterface() || type.isAnnotation() || type.isSealed() || type.isHidden()) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "a service must be an interface that is not sealed",
                    "option",
                    "service",
                    "value",
                    type.getName());
        }
        if (code.services().containsKey(type)) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "the service has an implementation",
                    "option",
                    "service",
                    "value",
                    type.getName(),
                    "implementation",
                    code.services().get(type));
        }
        code = code.withService(type, implementation);
        return this;
    }

    /**
     * Replaces the class path of process workers: they see these jars and folders, what {@link #addClassPath} adds, and
     * this library; nothing of the host. For code that the host never loads, named by {@link Task#named} or behind a
     * {@link #service}, whose interface must be there too. Needs a stated {@link #sandbox}.
     *
     * @throws KnittingException at open: {@link ErrorCode#BAD_OPTION} if no sandbox is stated, the pool has thread
     *     workers, or an entry does not exist
     */
    public PoolBuilder classPath(Path... entries) {
        code = code.withClassPath(List.of(entries));
        return this;
    }

    /**
     * A task that runs once in each worker, also in each replacement, before services are made and tasks are warmed: to
     * set up logging, to open what the tasks share. If it fails, the worker does not start, and {@code open} fails with
     * the reason. It runs on the worker's thread, where {@code TaskContext.current().workerId()} tells which one; the
     * stage of an {@link Task#async async} one is awaited.
     *
     * @param hook a method that gives no result, or one that nobody wants
     */
    public PoolBuilder bootstrap(Task<Void, ?> hook) {
        code = code.withBootstrap(new CodeOptions.Bootstrap(hook, null));
        return this;
    }

    /**
     * As {@link #bootstrap(Task)}, with an argument, which is copied to each worker, to threads too.
     *
     * @param argument a payload of at most half a MiB
     */
    public <A extends @Nullable Object> PoolBuilder bootstrap(Task<A, ?> hook, A argument) {
        code = code.withBootstrap(new CodeOptions.Bootstrap(hook, argument));
        return this;
    }

    /**
     * Moves a context with each call, such as that of a logger; see {@link ContextCarrier}. Calls of pools without one
     * cost nothing more. A direct pool does without: its calls run on the thread that has the context.
     *
     * @param carrier a class with a public constructor without parameters, on the worker's path too
     */
    public PoolBuilder context(Class<? extends ContextCarrier> carrier) {
        code = code.withContext(carrier);
        return this;
    }

    /** Sets limits of each worker process beside its heap, such as {@code r -> r.cpuTime(Duration.ofMinutes(5))}. */
    public PoolBuilder resources(UnaryOperator<ResourceOptions> change) {
        resources = change.apply(resources);
        return this;
    }

    /**
     * States what the code in the workers may do. Not stated: everything, if it is the host's own code.
     *
     * <p>A sandbox that restricts implies {@link #segmentPerWorker}, inherited memory and futexes, and needs process
     * workers and Linux; see {@link Sandbox}.
     */
    public PoolBuilder sandbox(Sandbox sandbox) {
        code = code.withSandbox(sandbox);
        return this;
    }

    /** Adds jars or folders to the class path of process workers. */
    public PoolBuilder addClassPath(Path... entries) {
        addedClassPath.addAll(List.of(entries));
        return this;
    }

    /**
     * Sets a variable in the environment of process workers, which otherwise is the host's.
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if the name is empty or holds {@code =}, or either holds a NUL
     */
    public PoolBuilder environment(String variable, String value) {
        PoolOptions.checkName("environment", variable, value);
        environment.put(variable, value);
        return this;
    }

    /**
     * Allows types that no declared signature shows: subtypes, elements of a lambda's result. Primitive types cross
     * anyway: naming them changes nothing.
     */
    public PoolBuilder register(Class<?>... types) {
        for (Class<?> type : types) {
            if (!type.isPrimitive()) { // a worker looks types up by name, and these have none
                registered.add(type);
            }
        }
        return this;
    }

    /** Adds a codec; the class needs a public constructor without parameters. */
    public PoolBuilder codec(Class<? extends PayloadCodec<?>> type) {
        codecs.add(type);
        return this;
    }

    /** Options of the child JVM. */
    public PoolBuilder jvm(UnaryOperator<JvmOptions> change) {
        this.jvm = change.apply(jvm);
        return this;
    }

    /** Sizes and caps of payloads. */
    public PoolBuilder payload(UnaryOperator<PayloadOptions> change) {
        this.payload = change.apply(payload);
        return this;
    }

    /** Spinning and parking. */
    public PoolBuilder tuning(UnaryOperator<TuningOptions> change) {
        this.tuning = change.apply(tuning);
        return this;
    }

    /** How long a worker may take to accept calls. Default 60 s. */
    public PoolBuilder startTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION, "option out of range", "option", "startTimeout", "value", timeout);
        }
        this.startTimeout = timeout;
        return this;
    }

    /** Default of {@link Task#timeout(Duration)} for tasks that state none, lambdas among them. Zero or more. */
    public PoolBuilder timeout(Duration limit) {
        supervision =
                supervision.withDefaults(supervision.defaults().withTimeout(limit, new TaskOptions.OnTimeout.Fail()));
        return this;
    }

    /** Default of {@link Task#hardTimeout} for tasks that state none, lambdas among them. More than zero. */
    public PoolBuilder hardTimeout(Duration limit) {
        supervision = supervision.withDefaults(supervision.defaults().withHardTimeout(limit));
        return this;
    }

    /** Default of {@link Task#killAfter} for tasks that state none, lambdas among them. Zero or more. */
    public PoolBuilder killAfter(Duration grace) {
        supervision = supervision.withDefaults(supervision.defaults().withKillAfter(grace));
        return this;
    }

    /** Replaces each worker after so many calls, 1 or more. Default: never. */
    public PoolBuilder recycleAfter(long calls) {
        supervision = supervision.withRecycleAfter(PoolOptions.checkRange("recycleAfter", calls, 1, Long.MAX_VALUE));
        return this;
    }

    /**
     * How many worker processes to keep ready beyond those that work, so that a dead one is replaced at once. 0 to {@value
     * PoolOptions#MAX_WORKERS}, together with the workers; default 0. A spare takes memory but no time.
     */
    public PoolBuilder spares(int count) {
        supervision = supervision.withSpares(PoolOptions.checkRange("spares", count, 0, PoolOptions.MAX_WORKERS));
        return this;
    }

    /** Is told when workers start and end. One listener a pool; the last one set counts. */
    public PoolBuilder listener(PoolListener listener) {
        supervision = supervision.withListener(java.util.Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /** Words put before the worker's command line, such as {@code nice -n 10}. */
    public PoolBuilder commandPrefix(String... words) {
        for (String word : words) {
            if (word.isEmpty() || word.indexOf('\0') >= 0) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION, "empty word", "option", "commandPrefix", "value", List.of(words));
            }
        }
        commandPrefix.clear();
        commandPrefix.addAll(List.of(words));
        return this;
    }

    /**
     * Switches debug namespaces on: lines on standard error, beside those that the environment variable {@value
     * Debug#VARIABLE} asks for. Default none. A namespace that is off costs nothing.
     */
    public PoolBuilder debug(Debug... namespaces) {
        debug.addAll(List.of(namespaces));
        return this;
    }

    /**
     * Where the {@code *Async} callbacks of calls run that name no executor; default the common pool, as in the JDK. The
     * common pool's threads do not have your application's class loader: in a container, set one.
     */
    public PoolBuilder callbackExecutor(Executor executor) {
        this.callbackExecutor = java.util.Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Who receives what process workers print. Default: the {@link System.Logger} {@code dev.knitting.worker}, level
     * INFO, each line after {@code [<pool>-<worker>]}. Thread workers print where the host does.
     */
    public PoolBuilder output(OutputListener listener) {
        this.output = listener;
        return this;
    }

    /**
     * Lets each process worker listen for a debugger on a free port of this machine's loopback address, printed on
     * standard error when the worker starts. While it is on, timeouts stand still: a worker at a breakpoint is not late.
     */
    public PoolBuilder debugWorkers() {
        this.debugWorkers = true;
        return this;
    }

    /**
     * The options collected so far.
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if two of them contradict each other
     */
    public PoolOptions options() {
        return new PoolOptions(
                isolation,
                workers,
                name,
                queueCapacity,
                queuePolicy,
                allowOnHost,
                copyArguments,
                memory,
                memoryDirectory,
                doorbells,
                segmentPerWorker,
                addedClassPath,
                environment,
                registered,
                codecs,
                jvm,
                payload,
                tuning,
                startTimeout,
                commandPrefix,
                output,
                debugWorkers,
                debug,
                callbackExecutor,
                code,
                supervision,
                resources,
                List.of());
    }

    /**
     * Opens the pool and waits until its workers accept these tasks.
     *
     * <p>Inside a worker, where the class of a task is initialised with all its constants, nothing is started: the pool
     * is inert, and each use of it fails with {@link ErrorCode#NESTED_POOL}.
     *
     * @param tasks checked and warmed in every worker; others are announced at their first call
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} with what the worker printed, {@link
     *     ErrorCode#TASK_NOT_FOUND} or {@link ErrorCode#BAD_OPTION}; no process, thread or file is left behind
     */
    public Pool open(Task<?, ?>... tasks) {
        if (InertPool.isInWorker()) {
            return new InertPool(this);
        }
        return engine().open(options().withTasks(List.of(tasks)));
    }

    /**
     * Opens the pool on a thread of its own. As {@link #open}, whose exceptions arrive through the future; options that
     * contradict each other are thrown here. Completing the future otherwise, by cancelling it for example, ends the
     * opening; a pool that was open already is closed.
     *
     * @param tasks as for {@link #open}
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback only interrupts
    public CompletableFuture<Pool> openAsync(Task<?, ?>... tasks) {
        CompletableFuture<Pool> opened = new CompletableFuture<>();
        if (InertPool.isInWorker()) {
            opened.complete(new InertPool(this));
            return opened;
        }
        PoolOptions wanted = options().withTasks(List.of(tasks));
        Thread opener = new Thread(null, () -> open(wanted, opened), "knitting-open-" + name);
        opener.setDaemon(true);
        opened.whenComplete((pool, failure) -> {
            if (failure != null) {
                opener.interrupt();
            }
        });
        opener.start();
        return opened;
    }

    private static void open(PoolOptions wanted, CompletableFuture<Pool> opened) {
        try {
            Pool pool = engine().open(wanted);
            if (!opened.complete(pool)) {
                pool.close();
            }
        } catch (Throwable e) {
            opened.completeExceptionally(e);
        }
    }

    /**
     * A pool for tests with these options, as {@link Pool#direct()}: services, registered types and codecs count, what
     * concerns workers and their processes does not.
     */
    public Pool direct() {
        return engine().direct(options());
    }

    String name() {
        return name;
    }

    Isolation isolation() {
        return isolation;
    }

    static PoolFactory engine() {
        return EngineHolder.FACTORY;
    }

    private static final class EngineHolder {
        static final PoolFactory FACTORY = ServiceLoader.load(PoolFactory.class, Pool.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the knitting jar is incomplete: no PoolFactory"));
    }
}

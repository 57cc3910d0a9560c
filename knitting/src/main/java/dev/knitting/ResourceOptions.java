package dev.knitting;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one worker process may use up; with or without a sandbox. Zero or null means no limit but the host's own.
 * Immutable: each method returns changed options.
 *
 * <p>The limits are the kernel's, set by the worker before it accepts calls, and cannot be raised again by an
 * unprivileged process. The heap is {@link JvmOptions#maxHeap}.
 *
 * @param metaspace most class metadata, as {@code -XX:MaxMetaspaceSize} takes it, or null
 * @param directMemory most direct buffers, as {@code -XX:MaxDirectMemorySize} takes it, or null
 * @param addressSpace most virtual memory in bytes, mapped files and reserved heap included ({@code RLIMIT_AS})
 * @param memory most real memory in bytes: heap, code, threads, buffers; by a control group that the host makes for the
 *     worker and must have the right to make
 * @param openFiles most open files ({@code RLIMIT_NOFILE})
 * @param processes most processes and threads of the <em>user</em>, all programs together ({@code RLIMIT_NPROC}); the
 *     kernel does not count for root
 * @param cpuSeconds most processor time; the kernel then kills the worker ({@code RLIMIT_CPU})
 * @param nice added to the priority number, 0 to 19
 * @param oomScoreAdj how much sooner the kernel kills this process when memory is short, 0 to 1000
 * @param processors numbers of the processors it may run on; empty for all
 */
public record ResourceOptions(
        @Nullable String metaspace,
        @Nullable String directMemory,
        long addressSpace,
        long memory,
        long openFiles,
        long processes,
        long cpuSeconds,
        int nice,
        int oomScoreAdj,
        List<Integer> processors) {
    /** No limits. */
    public static final ResourceOptions NONE = new ResourceOptions(null, null, 0, 0, 0, 0, 0, 0, 0, List.of());

    private static final int MOST_PROCESSORS = 1024;

    /** Checks ranges. */
    public ResourceOptions {
        PoolOptions.checkRange("resources.addressSpace", addressSpace, 0, Long.MAX_VALUE);
        PoolOptions.checkRange("resources.memory", memory, 0, Long.MAX_VALUE);
        PoolOptions.checkRange("resources.openFiles", openFiles, 0, Integer.MAX_VALUE);
        PoolOptions.checkRange("resources.processes", processes, 0, Integer.MAX_VALUE);
        PoolOptions.checkRange("resources.cpuTime", cpuSeconds, 0, Integer.MAX_VALUE);
        PoolOptions.checkRange("resources.nice", nice, 0, 19);
        PoolOptions.checkRange("resources.oomScoreAdj", oomScoreAdj, 0, 1000);
        processors = List.copyOf(new TreeSet<>(processors));
        for (int processor : processors) {
            PoolOptions.checkRange("resources.processors", processor, 0, MOST_PROCESSORS - 1);
        }
    }

    /** Most class metadata, e.g. {@code 64m}. */
    public ResourceOptions metaspace(String size) {
        return new ResourceOptions(
                JvmOptions.checkSize("resources.metaspace", size),
                directMemory,
                addressSpace,
                memory,
                openFiles,
                processes,
                cpuSeconds,
                nice,
                oomScoreAdj,
                processors);
    }

    /** Most memory of direct buffers, e.g. {@code 64m}. */
    public ResourceOptions directMemory(String size) {
        return new ResourceOptions(
                metaspace,
                JvmOptions.checkSize("resources.directMemory", size),
                addressSpace,
                memory,
                openFiles,
                processes,
                cpuSeconds,
                nice,
                oomScoreAdj,
                processors);
    }

    /**
     * Most virtual memory in bytes. A JVM reserves far more than it uses (1 GiB for classes alone, the whole heap, the
     * shared segment): a few GiB above the heap are needed to start.
     */
    public ResourceOptions addressSpace(long bytes) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                bytes,
                memory,
                openFiles,
                processes,
                cpuSeconds,
                nice,
                oomScoreAdj,
                processors);
    }

    /**
     * Most real memory of the worker process in bytes. A worker that needs more is killed by the kernel: its calls fail with
     * {@link ErrorCode#MEMORY_KILLED}. The host makes a control group for each worker beside or below its own; where it may
     * not, {@code open} fails with {@link ErrorCode#UNSUPPORTED_PLATFORM}. A JVM takes some 60 MB beside its heap.
     */
    public ResourceOptions memory(long bytes) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                bytes,
                openFiles,
                processes,
                cpuSeconds,
                nice,
                oomScoreAdj,
                processors);
    }

    /** Most open files; a worker needs about thirty itself. */
    public ResourceOptions openFiles(long files) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                memory,
                files,
                processes,
                cpuSeconds,
                nice,
                oomScoreAdj,
                processors);
    }

    /** Most processes and threads of the user, all programs together. */
    public ResourceOptions processes(long most) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                memory,
                openFiles,
                most,
                cpuSeconds,
                nice,
                oomScoreAdj,
                processors);
    }

    /** Most processor time of a worker's life, in whole seconds; then it is killed and replaced. */
    public ResourceOptions cpuTime(Duration time) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                memory,
                openFiles,
                processes,
                time.toSeconds(),
                nice,
                oomScoreAdj,
                processors);
    }

    /** Lower priority, 0 to 19. */
    public ResourceOptions nice(int level) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                memory,
                openFiles,
                processes,
                cpuSeconds,
                level,
                oomScoreAdj,
                processors);
    }

    /** Killed sooner when the machine is short of memory, 0 to 1000. */
    public ResourceOptions oomScoreAdj(int adjustment) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                memory,
                openFiles,
                processes,
                cpuSeconds,
                nice,
                adjustment,
                processors);
    }

    /** Processors that its threads may run on, by their numbers. */
    public ResourceOptions processors(Integer... numbers) {
        return new ResourceOptions(
                metaspace,
                directMemory,
                addressSpace,
                memory,
                openFiles,
                processes,
                cpuSeconds,
                nice,
                oomScoreAdj,
                List.of(numbers));
    }

    /** The processors as the kernel takes them, a bit each; empty for all. */
    public long[] processorMask() {
        BitSet bits = new BitSet();
        processors.forEach(bits::set);
        return bits.toLongArray();
    }
}

package dev.knitting.cli.chaos;

import dev.knitting.Pool;
import dev.knitting.fault.FaultAction;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs callers against workers that suffer faults, for a time, and says what came of it. */
final class ChaosRunner {
    /** Of both together, so that calls queue and overtake each other. */
    private static final int VIRTUAL_CALLERS = 12;

    private static final int PLATFORM_CALLERS = 4;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** For workers that live for parts of a second: most of their time would go into compiling. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    private static final String LONG_LIVED = "-XX:+TieredCompilation";

    private final ChaosPlan plan;

    ChaosRunner(ChaosPlan plan) {
        this.plan = plan;
    }

    /**
     * Runs.
     *
     * @return the report, by name, in order
     */
    Map<String, @Nullable Object> run() throws IOException, InterruptedException {
        warmUp();
        Leaks before = Leaks.count();
        ChaosCounts counts = new ChaosCounts();
        ChaosFaults faults = new ChaosFaults();
        Throughput throughput = new Throughput();
        HostFaults host = null;
        try (Pool pool = open(faults)) {
            if (plan.hostMillis() > 0) {
                host = new HostFaults(plan.seed(), plan.hostMillis(), 2 * plan.hostMillis());
            }
            List<Thread> callers = startCallers(pool, counts);
            watch(pool, counts, faults, throughput);
            counts.end();
            for (Thread caller : callers) {
                caller.join();
            }
            pool.shutdown(PATIENCE); // close would wait for ever for a call that never settles
        } finally {
            if (host != null) {
                host.close(); // after the pool: what it suffers while it closes counts
            }
        }
        Leaks after = awaitRest(before);
        return report(counts, faults, host, throughput, before, after);
    }

    private void watch(Pool pool, ChaosCounts counts, ChaosFaults faults, Throughput throughput) throws IOException {
        Random times = new Random(plan.seed());
        long start = System.nanoTime();
        long strike = start + pause(times);
        long recycled = start;
        for (long now = start; now - start < plan.time().toNanos(); now = System.nanoTime()) {
            throughput.sample(now, counts.settled());
            if (plan.recycleMillis() > 0 && now - recycled >= plan.recycleMillis() * 1_000_000L) {
                recycled = now;
                pool.recycle();
            }
            if (plan.faultySeats() == 0 && now - strike >= 0) {
                strike = now + pause(times);
                faults.strike(pool.submit(ChaosTasks.PID).join(), plan.action());
            }
            LockSupport.parkNanos(Throughput.SAMPLE_NANOS);
        }
    }

    private long pause(Random times) {
        return (plan.minMillis() + times.nextInt(plan.maxMillis() - plan.minMillis() + 1)) * 1_000_000L;
    }

    /** Everything that stays open once it was used (class files, thread stacks, the logger) is open before counting. */
    private void warmUp() {
        try (Pool pool = Pool.processes(1).name("warm").open()) {
            pool.invoke(ChaosTasks.INC, 1L);
        }
    }

    private Pool open(ChaosFaults faults) {
        String property = "-D" + Faults.PROPERTY + "=random:" + plan.seed() + ":" + plan.minMillis() + ":"
                + plan.maxMillis() + ":" + plan.action() + ":" + plan.faultySeats();
        return Pool.processes(plan.workers())
                .name("chaos")
                .spares(plan.spares())
                .tuning(plan.mailbox()::of)
                .recycleAfter(plan.recycleAfter())
                .output(faults)
                .listener(faults)
                .jvm(jvm -> jvm.maxHeap("64m").options(property, plan.recycleMillis() > 0 ? SHORT_LIVED : LONG_LIVED))
                .open();
    }

    private List<Thread> startCallers(Pool pool, ChaosCounts counts) {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < VIRTUAL_CALLERS + PLATFORM_CALLERS; i++) {
            ChaosCaller caller = new ChaosCaller(pool, counts, plan.seed() * 1_000 + i);
            Thread.Builder builder = i < VIRTUAL_CALLERS ? Thread.ofVirtual() : Thread.ofPlatform();
            callers.add(builder.name("chaos-caller-" + i).start(caller));
        }
        return callers;
    }

    /** What belongs to the pool goes a moment after it: the last exit is reaped by the JDK's own thread. */
    private static Leaks awaitRest(Leaks before) throws IOException {
        Leaks now = Leaks.count();
        for (int i = 0; i < 50 && !now.equals(before); i++) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            now = Leaks.count();
        }
        return now;
    }

    /** Faults by point, also of those that were not hit. */
    private static Map<String, Integer> hitsPerPoint(ChaosFaults faults, @Nullable HostFaults host) {
        Map<FaultPoint, Integer> all = new EnumMap<>(FaultPoint.class);
        all.putAll(faults.hits());
        if (host != null) {
            all.putAll(host.hits());
        }
        Map<String, Integer> named = new LinkedHashMap<>();
        for (FaultPoint point : FaultPoint.values()) {
            if (point.isWorkers() || host != null) {
                named.put(point.name(), all.getOrDefault(point, 0));
            }
        }
        return named;
    }

    private Map<String, @Nullable Object> report(
            ChaosCounts counts,
            ChaosFaults faults,
            @Nullable HostFaults host,
            Throughput throughput,
            Leaks before,
            Leaks after) {
        Map<String, @Nullable Object> report = new LinkedHashMap<>();
        report.put("seconds", plan.time().toSeconds());
        report.put("seed", plan.seed());
        report.put("action", plan.action().name());
        report.put("mailbox", plan.mailbox().name());
        report.put("calls", counts.settled());
        boolean kills = plan.action() == FaultAction.KILL;
        report.put("kills", kills ? faults.faults() : 0);
        report.put("killsWhileRunning", kills ? faults.faultsWhileRunning() : 0);
        report.put("faults", faults.faults());
        report.put("hostFaults", host == null ? 0 : host.faults());
        report.put("hitsPerPoint", hitsPerPoint(faults, host));
        report.put("deaths", faults.died());
        report.put("replacedWorkers", faults.started() - plan.workers());
        report.put("lost", counts.lostSum());
        report.put("unsettled", counts.unsettledSum());
        report.put("wrong", counts.wrongSum());
        report.put("firstWrong", counts.firstWrong());
        report.put("leakedProcesses", Leaks.more(before.processes(), after.processes()));
        report.put("leakedFiles", Leaks.more(before.files(), after.files()));
        report.put("leakedFds", Leaks.more(before.descriptors(), after.descriptors()));
        report.put("leakedMappings", Leaks.more(before.mappings(), after.mappings()));
        List<Long> starts = faults.startTimes();
        Long undisturbed = throughput.undisturbed(starts);
        Long afterReplacement = Throughput.median(starts.stream()
                .skip(plan.workers() + plan.spares())
                .map(throughput::secondAfter)
                .filter(java.util.Objects::nonNull)
                .toList());
        report.put("callsAnUndisturbedSecond", undisturbed);
        report.put("callsTheSecondAfterAReplacement", afterReplacement);
        return report;
    }
}

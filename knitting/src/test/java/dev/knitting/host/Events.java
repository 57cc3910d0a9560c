package dev.knitting.host;

import dev.knitting.PoolListener;
import dev.knitting.WorkerEnd;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that remembers. */
final class Events implements PoolListener {
    private final List<WorkerEnd> ends = new CopyOnWriteArrayList<>();
    private final List<Long> started = new CopyOnWriteArrayList<>();

    @Override
    public void workerStarted(int worker, long pid) {
        started.add(pid);
    }

    @Override
    public void workerEnded(WorkerEnd end) {
        ends.add(end);
    }

    List<WorkerEnd> ends() {
        return ends;
    }

    List<Long> started() {
        return started;
    }

    WorkerEnd awaitEnd(WorkerEnd.Reason reason) {
        Watch.await("an end by " + reason, () -> ends.stream().anyMatch(end -> end.reason() == reason));
        return ends.stream().filter(end -> end.reason() == reason).findFirst().orElseThrow();
    }
}

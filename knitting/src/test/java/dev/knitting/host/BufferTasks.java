package dev.knitting.host;

import dev.knitting.Envelope;
import dev.knitting.SharedBuffer;
import dev.knitting.Task;
import dev.knitting.TaskContext;
import dev.knitting.codec.BufferViews;
import dev.knitting.memory.SharedSegment;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Tasks that are given shared buffers, make them, keep what they should not, and lie about them. */
final class BufferTasks {
    /** A buffer among other things. */
    record Labelled(String label, SharedBuffer buffer) {}

    static final Task<SharedBuffer, SharedBuffer> BUMP = Task.of(BufferTasks::bump);
    static final Task<Labelled, Labelled> BUMP_LABELLED = Task.of(BufferTasks::bumpLabelled);
    static final Task<List<SharedBuffer>, List<SharedBuffer>> BUMP_ALL = Task.of(BufferTasks::bumpAll);
    static final Task<SharedBuffer, SharedBuffer> HALF = Task.of(BufferTasks::half);
    static final Task<SharedBuffer, Long> SUM = Task.of(BufferTasks::sum);
    static final Task<SharedBuffer, Long> ADD_MANY = Task.of(BufferTasks::addMany);
    static final Task<Long, SharedBuffer> MAKE = Task.of(BufferTasks::make);
    static final Task<Long, Long> MAKE_AND_DROP = Task.of(BufferTasks::makeAndDrop);
    static final Task<SharedBuffer, String> KEEP = Task.of(BufferTasks::keep);
    static final Task<Void, String> LOOK_AT_KEPT = Task.of(BufferTasks::lookAtKept);
    static final Task<Labelled, Long> MAKE_AND_HANG = Task.of(BufferTasks::makeAndHang);
    static final Task<Labelled, Long> DIE_ONCE = Task.of(BufferTasks::dieOnce);
    static final Task<Labelled, SharedBuffer> LIE = Task.of(BufferTasks::lie);
    static final Task<SharedBuffer, SharedBuffer> LATER = Task.async(BufferTasks::later);
    static final Task<SharedBuffer, String> ELSEWHERE = Task.of(BufferTasks::elsewhere);

    static final Task<SharedBuffer, MemorySegment> VIEW = Task.of(BufferTasks::view);
    static final Task<SharedBuffer, MemorySegment> VIEW_LATER = Task.async(BufferTasks::viewLater);

    /** A header. */
    record Request(String name, List<Integer> numbers) {}

    static final Task<Envelope<Request>, Envelope<String>> REPLY = Task.of(BufferTasks::reply);
    static final Task<Envelope<String>, Integer> COUNT = Task.of(BufferTasks::count);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static SharedBuffer kept;
    private static MemorySegment keptView;

    private BufferTasks() {}

    /** A reply with the body that it got, its first byte changed. */
    static Envelope<String> reply(Envelope<Request> request) {
        String header = request.header().name() + request.header().numbers();
        SharedBuffer buffer = request.buffer();
        if (buffer != null) {
            return Envelope.of(header, bump(buffer));
        }
        byte[] bytes = request.bytes();
        if (bytes.length > 0) {
            bytes[0]++;
        }
        return Envelope.of(header, bytes);
    }

    static int count(Envelope<String> envelope) {
        return envelope.header().length() + (int) envelope.size();
    }

    /** The view itself: what arrives is a copy. */
    static MemorySegment view(SharedBuffer buffer) {
        return buffer.segment();
    }

    static CompletionStage<MemorySegment> viewLater(SharedBuffer buffer) {
        return CompletableFuture.supplyAsync(buffer::segment);
    }

    /** Adds one to the first and to the last long. */
    static SharedBuffer bump(SharedBuffer buffer) {
        MemorySegment memory = buffer.segment();
        memory.set(LONG, 0, memory.get(LONG, 0) + 1);
        memory.set(LONG, buffer.size() - 8, memory.get(LONG, buffer.size() - 8) + 1);
        return buffer;
    }

    static Labelled bumpLabelled(Labelled labelled) {
        return new Labelled(labelled.label + "!", bump(labelled.buffer));
    }

    static List<SharedBuffer> bumpAll(List<SharedBuffer> buffers) {
        List<SharedBuffer> all = new ArrayList<>();
        for (SharedBuffer buffer : buffers) {
            all.add(bump(buffer));
        }
        return all;
    }

    static SharedBuffer half(SharedBuffer buffer) {
        return buffer.slice(buffer.size() / 2, buffer.size() / 2);
    }

    static long sum(SharedBuffer buffer) {
        long sum = 0;
        for (long at = 0; at < buffer.size(); at += 8) {
            sum += buffer.segment().get(LONG, at);
        }
        return sum;
    }

    static long addMany(SharedBuffer buffer) {
        for (int i = 0; i < 10_000; i++) {
            buffer.getAndAddLong(0, 1);
        }
        return 10_000;
    }

    static SharedBuffer make(long bytes) {
        SharedBuffer made = TaskContext.current().allocate(bytes);
        made.setLongVolatile(bytes - 8, bytes);
        return made;
    }

    static long makeAndDrop(long bytes) {
        return make(bytes).size();
    }

    static String keep(SharedBuffer buffer) {
        kept = buffer;
        keptView = buffer.segment();
        return "kept " + keptView.get(LONG, 0);
    }

    static String lookAtKept() {
        return throwing(() -> keptView.get(LONG, 0)) + ", " + throwing(() -> kept.getLongVolatile(0)) + ", "
                + kept.isOpen();
    }

    private static String throwing(Runnable access) {
        try {
            access.run();
            return "read";
        } catch (IllegalStateException e) {
            return "closed";
        }
    }

    static long makeAndHang(Labelled labelled) throws IOException {
        make(1 << 20);
        return DeathTasks.markAndHang(labelled.label);
    }

    /** The first run dies with a buffer of its own, the second one returns what the argument holds. */
    static long dieOnce(Labelled labelled) throws IOException {
        make(1 << 20);
        if (labelled.buffer.getAndAddLong(0, 1) == 0) {
            Runtime.getRuntime().halt(9);
        }
        return labelled.buffer.getLongVolatile(0);
    }

    static CompletionStage<SharedBuffer> later(SharedBuffer buffer) {
        return CompletableFuture.supplyAsync(() -> bump(buffer));
    }

    /** Another thread than the task's asks for a view of its own. */
    static String elsewhere(SharedBuffer buffer) {
        MemorySegment own = buffer.segment();
        String confined = CompletableFuture.supplyAsync(() -> {
                    try {
                        return "read " + own.get(LONG, 0);
                    } catch (WrongThreadException e) {
                        return "wrong thread";
                    }
                })
                .join();
        long asked = CompletableFuture.supplyAsync(() -> buffer.segment().get(LONG, 0))
                .join();
        keptView = CompletableFuture.supplyAsync(buffer::segment).join();
        kept = buffer;
        return confined + ", " + asked;
    }

    /** Names a buffer that this call was not given, as a hostile worker may: {@code id start size} relative to its own. */
    static SharedBuffer lie(Labelled labelled) throws ReflectiveOperationException {
        String[] words = labelled.label.split(" ");
        Object own = labelled.buffer;
        Class<?> type = own.getClass();
        Object lender = field(own, "lender");
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        long id = (long) type.getMethod("id").invoke(own) + Long.parseLong(words[0]);
        long start = (long) type.getMethod("start").invoke(own) + Long.parseLong(words[1]);
        long size = labelled.buffer.size() + Long.parseLong(words[2]);
        BufferViews views = new BufferViews((SharedSegment) field(lender, "segment"), 0, 1, null);
        return (SharedBuffer) constructor.newInstance(lender, field(own, "callId"), id, start, size, views);
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}

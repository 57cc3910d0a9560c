package dev.knitting.host;

import dev.knitting.Task;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Tasks of every form, for every kind of worker. */
final class FormTasks {
    static final Task<String, Void> NOTE = Task.action(FormTasks::note);
    static final Task<Void, Void> NOTE_NOTHING = Task.action(FormTasks::noteNothing);
    static final Task<List<String>, Void> DROPPED = Task.action(FormTasks::opaqueResult);
    static final Task<String, Void> BAD_ACTION = Task.action(FormTasks::badAction);
    static final Task<Void, Integer> NOTED = Task.of(FormTasks::noted);
    static final Task<Long, Long> COUNTED = Task.of(FormTasks::counted);
    static final Task<Void, Integer> COUNT = Task.of(FormTasks::count);
    static final Task<Long, Long> ODD_FAILS = Task.of(FormTasks::oddFails);
    static final Task<String, StringBuilder> BUILDER = Task.<String, StringBuilder>of(StringBuilder::new);
    static final Task<String, Price> PRICE = Task.of(Price::new);
    static final Task<Price, String> TEXT = Task.of(Price::text);

    private static final AtomicInteger NOTES = new AtomicInteger();
    private static final AtomicInteger COUNTS = new AtomicInteger();

    record Price(String text) {}

    private FormTasks() {}

    private static void note(String text) {
        NOTES.addAndGet(text.length());
    }

    private static void noteNothing() {
        NOTES.addAndGet(1);
    }

    /** What an action returns need not cross. */
    private static Thread opaqueResult(List<String> texts) {
        NOTES.addAndGet(texts.size());
        return Thread.currentThread();
    }

    private static void badAction(String message) {
        throw new IllegalArgumentException(message);
    }

    /** What the actions have noted since the last time. */
    private static int noted() {
        return NOTES.getAndSet(0);
    }

    private static long counted(long value) {
        COUNTS.incrementAndGet();
        return value;
    }

    private static int count() {
        return COUNTS.getAndSet(0);
    }

    private static long oddFails(long value) {
        if (value % 2 != 0) {
            throw new IllegalArgumentException("odd: " + value);
        }
        return value / 2;
    }
}

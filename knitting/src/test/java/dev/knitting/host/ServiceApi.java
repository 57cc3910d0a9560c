package dev.knitting.host;

import dev.knitting.TaskContext;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Services of every shape and what runs behind them. */
final class ServiceApi {
    private ServiceApi() {}

    record Doc(String title, List<Integer> pages) {}

    /** An exception that a signature declares. */
    static final class Rejected extends Exception {
        private static final long serialVersionUID = 1L;

        Rejected(String message) {
            super(message);
        }
    }

    interface Base<T> {
        T echo(T value);

        List<T> all(List<? extends T> values);

        T narrowed(T value);
    }

    interface Everything extends Base<Doc> {
        @Override
        Doc narrowed(Doc value);

        String nothing();

        String primitives(boolean a, byte b, short c, char d, int e, long f, float g, double h);

        long plus(long a, int b);

        double half(double value);

        boolean not(boolean value);

        char next(char value);

        void remember(String text);

        String over(int value);

        String over(long value);

        String over(String value);

        String over(String text, int value);

        String join(String... parts);

        Map<String, List<Doc>> shelve(List<Doc> docs, String shelf);

        default String inherited() {
            return "default: " + nothing();
        }

        default String overridden() {
            return "of the interface";
        }

        default long pidOfDefault() {
            return ProcessHandle.current().pid();
        }

        String count();

        void clear(List<String> list, String unused);

        CompletableFuture<String> later(String text, int number);

        CompletionStage<String> stage(String text);

        CompletableFuture<Doc> docLater(String title);

        CompletableFuture<String> failLater(String message) throws IOException;

        CompletableFuture<String> noStage();

        String load(String path) throws IOException;

        int check(int value) throws Rejected;

        static String notACall() {
            return "static";
        }

        @Override
        boolean equals(Object other);
    }

    static final class Worker implements Everything {
        private final List<String> remembered = new ArrayList<>();
        private long count;

        public Worker() {}

        @Override
        public Doc echo(Doc value) {
            return value;
        }

        @Override
        public List<Doc> all(List<? extends Doc> values) {
            return new ArrayList<>(values);
        }

        @Override
        public Doc narrowed(Doc value) {
            return value;
        }

        @Override
        public String nothing() {
            return "nothing";
        }

        @Override
        public String primitives(boolean a, byte b, short c, char d, int e, long f, float g, double h) {
            return a + " " + b + " " + c + " " + d + " " + e + " " + f + " " + g + " " + h;
        }

        @Override
        public long plus(long a, int b) {
            return a + b;
        }

        @Override
        public double half(double value) {
            return value / 2;
        }

        @Override
        public boolean not(boolean value) {
            return !value;
        }

        @Override
        public char next(char value) {
            return (char) (value + 1);
        }

        @Override
        public void remember(String text) {
            remembered.add(text);
        }

        @Override
        public String over(int value) {
            return "int";
        }

        @Override
        public String over(long value) {
            return "long";
        }

        @Override
        public String over(String value) {
            return "String";
        }

        @Override
        public String over(String text, int value) {
            if (value < 0) {
                throw new IllegalStateException(text);
            }
            return (text == null ? "null" : "String") + ", int";
        }

        @Override
        public String join(String... parts) {
            return String.join("-", parts);
        }

        @Override
        public Map<String, List<Doc>> shelve(List<Doc> docs, String shelf) {
            return Map.of(shelf, docs);
        }

        @Override
        public String overridden() {
            return "of the implementation";
        }

        @Override
        public String count() {
            return TaskContext.current().workerId() + " " + ++count;
        }

        @Override
        public void clear(List<String> list, String unused) {
            list.clear();
        }

        @Override
        public CompletableFuture<String> later(String text, int number) {
            return CompletableFuture.supplyAsync(() -> text + number);
        }

        @Override
        public CompletionStage<String> stage(String text) {
            return CompletableFuture.completedStage(text);
        }

        @Override
        public CompletableFuture<Doc> docLater(String title) {
            return CompletableFuture.completedFuture(new Doc(title, List.of()));
        }

        @Override
        public CompletableFuture<String> failLater(String message) {
            return CompletableFuture.failedFuture(new IOException(message));
        }

        @Override
        public CompletableFuture<String> noStage() {
            return null;
        }

        @Override
        public String load(String path) throws IOException {
            throw new FileNotFoundException(path);
        }

        @Override
        public int check(int value) throws Rejected {
            throw new Rejected(Integer.toString(value));
        }
    }

    interface Small {
        int twice(int value);
    }

    static final class SmallWorker implements Small {
        public SmallWorker() {}

        @Override
        public int twice(int value) {
            return 2 * value;
        }
    }

    static final class Broken implements Small {
        public Broken() {
            throw new IllegalStateException("not today");
        }

        @Override
        public int twice(int value) {
            return value;
        }
    }

    static final class Hidden implements Small {
        private Hidden() {}

        @Override
        public int twice(int value) {
            return value;
        }
    }

    interface Reader {
        String read();
    }

    interface Writer {
        void write(String text);
    }

    static final class Register implements Reader, Writer {
        private String text;

        public Register() {}

        @Override
        public String read() {
            return text;
        }

        @Override
        public void write(String value) {
            text = value;
        }
    }

    interface Journal {
        void start(String path);
    }

    static final class JournalWorker implements Journal, AutoCloseable {
        private String path;

        public JournalWorker() {}

        @Override
        public void start(String file) {
            path = file;
        }

        @Override
        public void close() throws IOException {
            if (path != null) {
                Files.writeString(Path.of(path), "closed");
            }
        }
    }

    interface Meeting {
        CompletableFuture<String> arrive();

        void leave(String text);
    }

    static final class MeetingWorker implements Meeting {
        private CompletableFuture<String> open;

        public MeetingWorker() {}

        @Override
        public CompletableFuture<String> arrive() {
            open = new CompletableFuture<>();
            return open;
        }

        @Override
        public void leave(String text) {
            open.complete(text);
        }
    }

    interface Opaque {
        Thread same(Thread thread);
    }

    static final class OpaqueWorker implements Opaque {
        public OpaqueWorker() {}

        @Override
        public Thread same(Thread thread) {
            return thread;
        }
    }

    sealed interface Closed {}

    static final class ClosedWorker implements Closed {}
}

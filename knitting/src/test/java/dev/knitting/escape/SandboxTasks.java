package dev.knitting.escape;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What tasks in sandboxes do, some of it allowed. */
final class SandboxTasks {
    private SandboxTasks() {}

    static String read(String file) throws IOException {
        return Files.readString(Path.of(file));
    }

    static String readOld(String file) throws IOException {
        try (var in = new java.io.FileInputStream(file)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    static String write(String file) throws IOException {
        return Files.writeString(Path.of(file), "written").toString();
    }

    static String writeIn(String folder) throws IOException {
        Path made = Files.createDirectories(Path.of(folder, "a", "b"));
        Path file = Files.writeString(made.resolve("x"), "1");
        Files.move(file, Path.of(folder, "moved"));
        Files.delete(made);
        return Files.readString(Path.of(folder, "moved"));
    }

    /** Puts something in the place of the report that its JVM would write in a crash, and ends. */
    static int endWithReport(String linkTo) throws IOException {
        String report = java.lang.management.ManagementFactory.getPlatformMXBean(
                        com.sun.management.HotSpotDiagnosticMXBean.class)
                .getVMOption("ErrorFile")
                .getValue();
        if (linkTo.isEmpty()) {
            // mknod: a pipe that nobody writes to
            Raw.check(
                    "mkfifo",
                    133,
                    java.lang.foreign.Arena.global().allocateFrom(report).address(),
                    0010600,
                    0);
        } else {
            Files.createSymbolicLink(Path.of(report), Path.of(linkTo));
        }
        Runtime.getRuntime().halt(3);
        return 0;
    }

    static int report() {
        dev.knitting.memory.RestrictionReport.print();
        return 0;
    }

    /** Folders within folders; the parent of the first. */
    static String makeDeep(int depth) throws IOException {
        Path folder = Files.createTempDirectory("deep");
        Path inner = folder;
        for (int i = 0; i < depth; i++) {
            inner = Files.createDirectory(inner.resolve("d"));
        }
        return folder.toString();
    }

    static int touch(int megabytes) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < megabytes; i++) {
            byte[] bytes = new byte[1 << 20];
            for (int at = 0; at < bytes.length; at += 4096) {
                bytes[at] = 1;
            }
            all.add(bytes);
        }
        return all.size();
    }

    static int failWithPath(String path) throws IOException {
        throw new java.nio.file.AccessDeniedException(path);
    }

    static int failWithPorts(int count) throws IOException {
        throw new java.net.ConnectException("Permission denied " + ":1".repeat(count));
    }

    static int list(String folder) throws IOException {
        try (var files = Files.list(Path.of(folder))) {
            return (int) files.count();
        }
    }

    static String temporary() throws IOException {
        Path folder = Files.createTempDirectory("t");
        Files.createSymbolicLink(folder.resolve("link"), Path.of("/"));
        return Files.writeString(folder.resolve("file"), "x").toString();
    }

    static String connect(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
            return "connected";
        }
    }

    static int listen(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port)) {
            return server.getLocalPort();
        }
    }

    static String environment(String name) {
        return String.valueOf(System.getenv(name));
    }

    static String execute(String program) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program, "hello").start();
        String output = process.inputReader().readLine();
        return output + " " + process.waitFor();
    }

    static int openMany(String file) throws IOException {
        List<java.io.InputStream> open = new ArrayList<>();
        try {
            while (open.size() < 10_000) {
                open.add(new java.io.FileInputStream(file));
            }
            return open.size();
        } catch (java.io.FileNotFoundException e) {
            return open.size();
        } finally {
            for (var stream : open) {
                stream.close();
            }
        }
    }

    static long burn() {
        long sum = 0;
        while (true) {
            sum += System.nanoTime();
            if (sum == 42) {
                return sum;
            }
        }
    }

    static String statusLine(String key) throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith(key))
                .findFirst()
                .orElse("");
    }

    static int niceLevel() {
        // getpriority answers 20 - nice.
        return 20 - (int) Raw.call(140, 0, 0);
    }

    static String oomScore() throws IOException {
        return Files.readString(Path.of("/proc/self/oom_score_adj")).strip();
    }
}

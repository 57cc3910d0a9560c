package dev.knitting.escape;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Plants what attempts are after, and looks what they did to it. */
final class Plant implements AutoCloseable {
    private static final String SECRET = "planted-secret";
    private static final FileTime TIME = FileTime.fromMillis(1_000_000_000_000L);
    private static final int SHM_KEY = 0x6B6E6974;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(8, 8);
    private final Path folder;
    private final ServerSocketChannel tcp = ServerSocketChannel.open();
    private final DatagramChannel udp = DatagramChannel.open(StandardProtocolFamily.INET);
    private final ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final String abstractName = "knit-escape-" + ProcessHandle.current().pid();
    private final long abstractSocket;
    private final String datagramPath;
    private final long datagramSocket;
    private final long shm;
    private final int freePort;
    private Process decoy;

    @SuppressWarnings("restricted") // that is what is tested
    Plant(Path directory) throws IOException {
        folder = Files.createDirectory(directory.resolve("outside"));
        tcp.bind(new InetSocketAddress("127.0.0.1", 0)).configureBlocking(false);
        udp.bind(new InetSocketAddress("127.0.0.1", 0)).configureBlocking(false);
        unix.bind(UnixDomainSocketAddress.of(directory.resolve("u"))).configureBlocking(false);
        abstractSocket = unixSocket(1, "\0" + abstractName);
        Raw.check("listen", 50, abstractSocket, 5);
        datagramPath = directory.resolve("d").toString();
        datagramSocket = unixSocket(2, datagramPath + "\0");
        shm = Raw.check("shmget", 29, SHM_KEY, 4096, 0600 | 01000);
        MemorySegment shared =
                MemorySegment.ofAddress(Raw.check("shmat", 30, shm, 0, 0)).reinterpret(4096);
        shared.setString(0, "shared!!");
        try (ServerSocket free = new ServerSocket(0)) {
            freePort = free.getLocalPort();
        }
        decoy = startDecoy();
    }

    private long unixSocket(int type, String name) throws IOException {
        long socket = Raw.check("socket", 41, 1, type | 0x80000 | 0x800, 0);
        MemorySegment address = Raw.unixName(arena, name);
        Raw.check("bind", 49, socket, address.address(), address.byteSize());
        return socket;
    }

    private static Process startDecoy() {
        try {
            return new ProcessBuilder("sleep", "600").start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything as it should be, for the next attempt. */
    Targets fresh(long firstWorker, long secondWorker) throws IOException {
        clear();
        Files.writeString(folder.resolve("secret.txt"), SECRET);
        Files.setPosixFilePermissions(folder.resolve("secret.txt"), PosixFilePermissions.fromString("rw-r--r--"));
        setAttribute(folder.resolve("secret.txt"));
        Files.setLastModifiedTime(folder.resolve("secret.txt"), TIME);
        memory.copyFrom(MemorySegment.ofArray("hostmem!".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        // Always another one: a signal to the last may be under way.
        decoy.destroyForcibly();
        decoy = startDecoy();
        drain();
        return new Targets(
                folder.toString(),
                SECRET,
                ProcessHandle.current().pid(),
                decoy.pid(),
                firstWorker,
                secondWorker,
                memory.address(),
                ((InetSocketAddress) tcp.getLocalAddress()).getPort(),
                ((InetSocketAddress) udp.getLocalAddress()).getPort(),
                unix.getLocalAddress().toString(),
                abstractName,
                datagramPath,
                SHM_KEY,
                freePort,
                inTemporaryFolderOf(firstWorker),
                inTemporaryFolderOf(secondWorker));
    }

    /** Not every file system has such attributes: the attempt on it then does not count. */
    private static void setAttribute(Path file) {
        try {
            Files.setAttribute(file, "user:knit", "attribute".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        } catch (IOException | UnsupportedOperationException e) {
            System.out.println("no extended attributes: " + e);
        }
    }

    /** A file of the host's in a worker's own temporary folder, or in the common one if it has no other. */
    private String inTemporaryFolderOf(long worker) throws IOException {
        String property = "-Djava.io.tmpdir=";
        Path commandLine = Path.of("/proc/" + worker + "/cmdline");
        // One that an attempt has turned into something else may be gone.
        String words = Files.exists(commandLine) ? Files.readString(commandLine) : "";
        for (String word : words.split("\0", -1)) {
            if (word.startsWith(property)) {
                return Files.writeString(Path.of(word.substring(property.length()), "private.txt"), SECRET)
                        .toString();
            }
        }
        Path file = folder.resolveSibling("common-" + worker);
        return Files.writeString(file, SECRET).toString();
    }

    private void clear() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    /** What an attempt did to the targets; empty if nothing. */
    String damage() throws IOException {
        List<String> damage = new ArrayList<>();
        Path file = folder.resolve("secret.txt");
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.toList();
            if (!all.equals(List.of(file))) {
                damage.add("files=" + all);
            }
        }
        if (!Files.exists(file) || !Files.readString(file).equals(SECRET)) {
            damage.add("content");
        } else if (!Files.getLastModifiedTime(file).equals(TIME)
                || !PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                        .equals("rw-r--r--")) {
            damage.add("attributes");
        }
        if (!new String(memory.toArray(ValueLayout.JAVA_BYTE), java.nio.charset.StandardCharsets.US_ASCII)
                .equals("hostmem!")) {
            damage.add("memory");
        }
        if (!decoyIsUntouched()) {
            damage.add("decoy");
        }
        if (drain() > 0) {
            damage.add("messages");
        }
        return damage.isEmpty() ? "" : "damage=" + damage;
    }

    private boolean decoyIsUntouched() {
        Path proc = Path.of("/proc/" + decoy.pid());
        try {
            return decoy.isAlive()
                    && Files.readString(proc.resolve("status")).contains("TracerPid:\t0\n")
                    && !Files.readString(proc.resolve("limits")).matches("(?s).*Max open files +5 +5 .*");
        } catch (IOException e) {
            return false; // it ended meanwhile
        }
    }

    /** Takes what has arrived at the sockets; how many connections and messages. */
    private int drain() throws IOException {
        int count = 0;
        for (ServerSocketChannel server : List.of(tcp, unix)) {
            SocketChannel accepted = server.accept();
            while (accepted != null) {
                accepted.close();
                count++;
                accepted = server.accept();
            }
        }
        while (udp.receive(ByteBuffer.allocate(16)) != null) {
            count++;
        }
        MemorySegment buffer = arena.allocate(16, 8);
        while (Raw.call(45, datagramSocket, buffer.address(), 16, 0x40, 0, 0) > 0) {
            count++;
        }
        long connection = Raw.call(288, abstractSocket, 0, 0, 0);
        while (connection >= 0) {
            Raw.call(3, connection);
            count++;
            connection = Raw.call(288, abstractSocket, 0, 0, 0);
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        clear();
        decoy.destroyForcibly();
        tcp.close();
        udp.close();
        unix.close();
        Raw.call(3, abstractSocket);
        Raw.call(3, datagramSocket);
        Raw.call(31, shm, 0, 0);
        arena.close();
    }
}

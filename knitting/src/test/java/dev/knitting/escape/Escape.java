package dev.knitting.escape;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;

/**
 * Ways out of a sandbox. Each is code that runs in a worker and returns what it got; without a sandbox it must succeed,
 * else it proves nothing. Numbers are system calls of x86-64.
 */
@SuppressWarnings("restricted") // that is what is tested
enum Escape {
    // ---- files, by plain Java
    READ_FILE(t -> Files.readString(Path.of(t.file()))),
    READ_BY_PARENT_FOLDERS(t -> {
        Path own = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        String up = "../".repeat(own.getNameCount());
        return Files.readString(Path.of(own + "/" + up + t.file().substring(1)));
    }),
    READ_BY_SYMBOLIC_LINK(t -> {
        Path link = own("link");
        Files.createSymbolicLink(link, Path.of(t.file()));
        try {
            return Files.readString(link);
        } finally {
            Files.delete(link);
        }
    }),
    READ_BY_HARD_LINK(t -> {
        Path link = own("hard");
        Files.createLink(link, Path.of(t.file()));
        try {
            return Files.readString(link);
        } finally {
            Files.delete(link);
        }
    }),
    READ_BY_MAPPING(t -> {
        try (FileChannel channel = FileChannel.open(Path.of(t.file()))) {
            return StandardCharsets.UTF_8
                    .decode(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()))
                    .toString();
        }
    }),
    READ_IN_A_NEW_THREAD(t -> {
        String[] result = {"nothing"};
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                result[0] = Files.readString(Path.of(t.file()));
            } catch (IOException e) {
                result[0] = "refused: " + e;
            }
        });
        thread.join();
        if (result[0].startsWith("refused")) {
            throw new IOException(result[0]);
        }
        return result[0];
    }),
    LIST_FOLDER(t -> {
        try (Stream<Path> files = Files.list(Path.of(t.folder()))) {
            return files.map(file -> file.getFileName().toString())
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }),
    OVERWRITE_FILE(t -> written(Files.writeString(Path.of(t.file()), "broken"))),
    APPEND_TO_FILE(t -> written(Files.writeString(Path.of(t.file()), "broken", StandardOpenOption.APPEND))),
    MAKE_FILE(t -> written(Files.writeString(Path.of(t.folder(), "new"), "broken"))),
    MAKE_FOLDER(t -> written(Files.createDirectory(Path.of(t.folder(), "newdir")))),
    MAKE_LINK_OUTSIDE(t -> written(Files.createSymbolicLink(Path.of(t.folder(), "newlink"), Path.of("/")))),
    DELETE_FILE(t -> {
        Files.delete(Path.of(t.file()));
        return "deleted";
    }),
    RENAME_FILE(t -> written(Files.move(Path.of(t.file()), Path.of(t.folder(), "moved")))),
    MOVE_FILE_IN(t -> {
        Path in = own("in");
        Raw.check("rename", 82, text(t.file()), text(in.toString()));
        return Files.readString(in);
    }),
    MOVE_FILE_OUT(t -> {
        Path own = Files.writeString(own("out"), "broken");
        Raw.check("rename", 82, text(own.toString()), text(t.file()));
        return "replaced";
    }),
    LINK_FILE_OUT(t -> {
        Path own = Files.writeString(own("out2"), "broken");
        return written(Files.createLink(Path.of(t.folder(), "linked"), own));
    }),
    SET_TIMES(t -> written(Files.setLastModifiedTime(Path.of(t.file()), FileTime.fromMillis(1)))),
    SET_MODE(t -> {
        Files.setPosixFilePermissions(
                Path.of(t.file()), java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
        return "changed";
    }),

    // ---- files, by system calls
    OPEN_RAW(t -> read((int) Raw.check("open", 2, text(t.file()), 0))),
    OPENAT2_RAW(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(24, 8);
            return read((int) Raw.check("openat2", 437, -100, text(t.file()), how.address(), 24));
        }
    }),
    OPEN_BY_PATH_DESCRIPTOR(t -> {
        long path = Raw.check("open O_PATH", 2, text(t.file()), 0x200000);
        try {
            return read((int) Raw.check("open again", 2, text("/proc/self/fd/" + path), 0));
        } finally {
            Raw.call(3, path);
        }
    }),
    OPEN_THROUGH_HANDLE(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(136, 8);
            handle.set(ValueLayout.JAVA_INT, 0, 128);
            Raw.check("name_to_handle_at", 303, -100, text(t.file()), handle.address(), handle.address() + 132, 0);
            long mount = Raw.check("open folder", 2, text("/tmp"), 0x10000);
            return read((int) Raw.check("open_by_handle_at", 304, mount, handle.address(), 0));
        }
    }),
    LINK_BY_DESCRIPTOR(t -> {
        long path = Raw.check("open O_PATH", 2, text(t.file()), 0x200000);
        Path link = own("by-descriptor");
        try {
            Raw.check("linkat", 265, -100, text("/proc/self/fd/" + path), -100, text(link.toString()), 0x400);
            return Files.readString(link);
        } finally {
            Raw.call(3, path);
            Files.deleteIfExists(link);
        }
    }),
    EXCHANGE_FILES(t -> {
        Path own = Files.writeString(own("exchanged"), "broken");
        return "exchanged " + Raw.check("renameat2", 316, -100, text(own.toString()), -100, text(t.file()), 2);
    }),
    MAKE_UNNAMED_FILE(t -> "descriptor " + Raw.check("O_TMPFILE", 2, text(t.folder()), 0x410002, 0600)),
    READ_ATTRIBUTE(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(64, 8);
            return Raw.string(
                    value, Raw.check("getxattr", 191, text(t.file()), text("user.knit"), value.address(), 64));
        }
    }),
    LIST_ATTRIBUTES(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment names = arena.allocate(256, 8);
            return "bytes " + Raw.check("listxattr", 194, text(t.file()), names.address(), 256);
        }
    }),
    LEASE_A_READABLE_FILE(t -> {
        long file = Raw.check("open", 2, text(readable()), 0);
        try {
            return "lease " + Raw.check("F_SETLEASE", 72, file, 1024, 0);
        } finally {
            Raw.call(3, file);
        }
    }),
    SET_FLAGS_OF_A_READABLE_FILE(t -> {
        long file = Raw.check("open", 2, text(readable()), 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flags = arena.allocate(8, 8);
            Raw.check("FS_IOC_GETFLAGS", 16, file, 0x80086601L, flags.address());
            return "set " + Raw.check("FS_IOC_SETFLAGS", 16, file, 0x40086602L, flags.address());
        } finally {
            Raw.call(3, file);
        }
    }),
    SIBLING_TEMPORARY_FILE(t -> Files.readString(Path.of(t.siblingTemporary()))),
    SIBLING_TEMPORARY_FOLDER(
            t -> written(Files.writeString(Path.of(t.siblingTemporary() + "-" + System.nanoTime()), "broken"))),
    TRUNCATE_RAW(t -> "truncated " + Raw.check("truncate", 76, text(t.file()), 0)),
    CHMOD_RAW(t -> "changed " + Raw.check("chmod", 90, text(t.file()), 0777)),
    CHMOD_AT_2(t -> "changed " + Raw.check("fchmodat2", 452, -100, text(t.file()), 0777, 0)),
    CHOWN_RAW(t -> "changed " + Raw.check("chown", 92, text(t.file()), 65534, 65534)),
    SET_ATTRIBUTE(t -> "changed " + Raw.check("setxattr", 188, text(t.file()), text("trusted.x"), text("y"), 1, 0)),
    MAKE_DEVICE(t -> "made " + Raw.check("mknod", 133, text(t.folder() + "/node"), 0020666, 0x103)),
    WATCH_FILE(t -> {
        long inotify = Raw.check("inotify_init1", 294, 0);
        return "watches " + Raw.check("inotify_add_watch", 254, inotify, text(t.folder()), 0xFFF);
    }),

    // ---- other processes' files in /proc
    PROC_HOST_ENVIRON(t -> firstByte("/proc/" + t.hostPid() + "/environ")),
    PROC_HOST_MAPS(t -> firstByte("/proc/" + t.hostPid() + "/maps")),
    PROC_HOST_CMDLINE(t -> firstByte("/proc/" + t.hostPid() + "/cmdline")),
    PROC_HOST_STATUS(t -> firstByte("/proc/" + t.hostPid() + "/status")),
    PROC_HOST_MEMORY(t -> {
        try (FileChannel memory = FileChannel.open(Path.of("/proc/" + t.hostPid() + "/mem"))) {
            ByteBuffer bytes = ByteBuffer.allocate(8);
            memory.read(bytes, t.memoryAddress());
            return new String(bytes.array(), StandardCharsets.UTF_8);
        }
    }),
    PROC_HOST_ROOT(t -> Files.readString(Path.of("/proc/" + t.hostPid() + "/root" + t.file()))),
    PROC_HOST_FILES(t -> segment(t.hostPid())),
    PROC_SIBLING_FILES(t -> segment(t.siblingPid())),
    PROC_SIBLING_MEMORY(t -> {
        try (FileChannel memory = FileChannel.open(Path.of("/proc/" + t.siblingPid() + "/mem"))) {
            return "open " + memory.isOpen();
        }
    }),
    PROC_OWN_MEMORY(t -> {
        try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.WRITE)) {
            return "open " + memory.isOpen();
        }
    }),
    PROC_OTHERS_SEEN(t -> {
        if (ProcessHandle.of(t.hostPid()).flatMap(host -> host.info().command()).isEmpty()) {
            throw new IOException("nothing seen");
        }
        return "seen";
    }),
    PROC_KERNEL_SETTINGS(t -> {
        Path file = Path.of("/proc/self/oom_score_adj");
        Files.writeString(file, "10");
        return Files.readString(file);
    }),
    SYS_READ(t -> Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))),
    ETC_READ(t -> Files.readString(Path.of("/etc/passwd"))),
    DEV_READ(t -> {
        try (Stream<Path> files = Files.list(Path.of("/dev"))) {
            return files.sorted().findFirst().orElseThrow().toString();
        }
    }),

    // ---- programs and processes
    PROCESS_BUILDER(t -> "exit " + new ProcessBuilder("/bin/true").start().waitFor()),
    EXECVE_RAW(t -> exec(59, text("/bin/sh"), arguments("sh", "-c", "exit 42"), 0)),
    EXECUTE_BY_DYNAMIC_LINKER(
            t -> exec(59, text("/lib64/ld-linux-x86-64.so.2"), arguments("ld", "/bin/sh", "-c", "exit 42"), 0)),
    EXECUTE_JAVA(t -> {
        String java = System.getProperty("java.home") + "/bin/java";
        return exec(59, text(java), arguments(java, "--version"), 0);
    }),
    EXECUTE_MEMORY_FILE(t -> {
        long file = Raw.check("memfd_create", 319, text("program"), 0);
        byte[] program = Files.readAllBytes(Path.of("/lib64/ld-linux-x86-64.so.2"));
        Files.write(Path.of("/proc/self/fd/" + file), program);
        return exec(322, file, text(""), arguments("ld", "/bin/sh", "-c", "exit 42"), 0, 0x1000);
    }),
    FORK(t -> Raw.fork("fork", 57)),
    CLONE_LIKE_FORK(t -> Raw.fork("clone", 56, 17)),
    CLONE_LIKE_VFORK(t -> Raw.fork("clone", 56, 0x4000 | 17)),
    CLONE3(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment what = arena.allocate(64, 8);
            what.set(ValueLayout.JAVA_LONG, 32, 17);
            return Raw.fork("clone3", 435, what.address(), 64);
        }
    }),

    // ---- network
    TCP_SOCKET(t -> {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", t.tcpPort()), 2_000);
            return "connected " + socket.isConnected();
        }
    }),
    TCP_CHANNEL(t -> {
        try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", t.tcpPort()))) {
            return "connected " + channel.isConnected();
        }
    }),
    TCP_RAW(t -> {
        try (Arena arena = Arena.ofConfined()) {
            long socket = Raw.check("socket", 41, 2, 1, 0);
            return "connected "
                    + Raw.check(
                            "connect",
                            42,
                            socket,
                            Raw.loopback(arena, t.tcpPort()).address(),
                            16);
        }
    }),
    TCP_FAST_OPEN(t -> {
        try (Arena arena = Arena.ofConfined()) {
            long socket = Raw.check("socket", 41, 2, 1, 0);
            long address = Raw.loopback(arena, t.tcpPort()).address();
            return "sent " + Raw.check("sendto", 44, socket, text("hi"), 2, 0x20000000, address, 16);
        }
    }),
    TCP_LISTEN(t -> {
        try (ServerSocket server = new ServerSocket(t.freePort())) {
            return "listens " + server.isBound();
        }
    }),
    TCP_LISTEN_CHANNEL(t -> {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(0))) {
            return "listens " + server.isOpen();
        }
    }),
    TCP_LISTEN_UNBOUND(t -> {
        long socket = Raw.check("socket", 41, 2, 1, 0);
        return "listens " + Raw.check("listen", 50, socket, 1);
    }),
    MPTCP(t -> {
        try (Arena arena = Arena.ofConfined()) {
            long socket = Raw.check("socket", 41, 2, 1, 262);
            return "connected "
                    + Raw.check(
                            "connect",
                            42,
                            socket,
                            Raw.loopback(arena, t.tcpPort()).address(),
                            16);
        }
    }),
    UDP_SOCKET(t -> {
        try (DatagramSocket socket = new DatagramSocket()) {
            byte[] bytes = {1};
            socket.send(new DatagramPacket(bytes, 1, InetAddress.getLoopbackAddress(), t.udpPort()));
            return "sent";
        }
    }),
    UDP_CHANNEL(t -> {
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            int sent = channel.send(ByteBuffer.allocate(1), new InetSocketAddress("127.0.0.1", t.udpPort()));
            return "sent " + sent;
        }
    }),
    UNIX_SOCKET(t -> {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(t.unixPath()))) {
            return "connected " + channel.isConnected();
        }
    }),
    UNIX_ABSTRACT(t -> {
        try (Arena arena = Arena.ofConfined()) {
            long socket = Raw.check("socket", 41, 1, 1, 0);
            MemorySegment name = Raw.unixName(arena, "\0" + t.abstractName());
            return "connected " + Raw.check("connect", 42, socket, name.address(), name.byteSize());
        }
    }),
    UNIX_ABSTRACT_NAME_FOR_A_PAIR(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(8, 8);
            Raw.check("socketpair", 53, 1, 1, 0, pair.address());
            MemorySegment name = Raw.unixName(arena, "\0" + t.abstractName() + System.nanoTime());
            return "named " + Raw.check("bind", 49, pair.get(ValueLayout.JAVA_INT, 0), name.address(), name.byteSize());
        }
    }),
    UNIX_DATAGRAM_FROM_PAIR(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(8, 8);
            Raw.check("socketpair", 53, 1, 2, 0, pair.address());
            MemorySegment name = Raw.unixName(arena, t.unixDatagramPath() + "\0");
            return "sent "
                    + Raw.check(
                            "sendto",
                            44,
                            pair.get(ValueLayout.JAVA_INT, 0),
                            text("hi"),
                            2,
                            0,
                            name.address(),
                            name.byteSize());
        }
    }),
    NETLINK(t -> "socket " + Raw.check("socket", 41, 16, 3, 0)),
    RAW_IP(t -> "socket " + Raw.check("socket", 41, 2, 3, 1)),
    PACKET(t -> "socket " + Raw.check("socket", 41, 17, 3, 0)),
    KERNEL_CRYPTO(t -> "socket " + Raw.check("socket", 41, 38, 5, 0)),
    VSOCK(t -> "socket " + Raw.check("socket", 41, 40, 1, 0)),

    // ---- other processes
    KILL(t -> "killed " + Raw.check("kill", 62, t.decoyPid(), 9)),
    KILL_BY_X32_CALL(t -> "killed " + Raw.check("x32 kill", 0x40000000L + 62, t.decoyPid(), 9)),
    OUTLIVE_THE_HOST(t -> "set " + Raw.check("PR_SET_PDEATHSIG", 157, 1, 0, 0, 0, 0)),
    KILL_BY_HANDLE(t -> {
        if (!ProcessHandle.of(t.decoyPid()).map(ProcessHandle::destroyForcibly).orElse(false)) {
            throw new IOException("not killed");
        }
        return "killed";
    }),
    KILL_HOST(t -> "signalled " + Raw.check("kill", 62, t.hostPid(), 18)),
    KILL_SIBLING(t -> "signalled " + Raw.check("kill", 62, t.siblingPid(), 18)),
    KILL_GROUP(t -> "signalled " + Raw.check("kill", 62, 0, 0)),
    TGKILL(t -> "killed " + Raw.check("tgkill", 234, t.decoyPid(), t.decoyPid(), 9)),
    TKILL(t -> "killed " + Raw.check("tkill", 200, t.decoyPid(), 9)),
    QUEUE_SIGNAL(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(128, 8);
            info.set(ValueLayout.JAVA_INT, 8, -1);
            return "killed " + Raw.check("rt_sigqueueinfo", 129, t.decoyPid(), 9, info.address());
        }
    }),
    PIDFD_SIGNAL(t -> {
        long pidfd = Raw.check("pidfd_open", 434, t.decoyPid(), 0);
        return "killed " + Raw.check("pidfd_send_signal", 424, pidfd, 9, 0, 0);
    }),
    SIGNAL_BY_DESCRIPTOR(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pipe = arena.allocate(8, 8);
            Raw.check("pipe2", 293, pipe.address(), 0);
            long reader = pipe.get(ValueLayout.JAVA_INT, 0);
            Raw.check("F_SETOWN", 72, reader, 8, t.decoyPid());
            Raw.check("F_SETFL", 72, reader, 4, 0x2000);
            return "signalled " + Raw.check("write", 1, pipe.get(ValueLayout.JAVA_INT, 4), text("x"), 1);
        }
    }),
    PTRACE(t -> "traces " + Raw.check("ptrace", 101, 0x4206, t.decoyPid(), 0, 0)),
    READ_HOST_MEMORY(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment local = arena.allocate(8, 8);
            MemorySegment vectors = vectors(arena, local, t.memoryAddress());
            Raw.check("process_vm_readv", 310, t.hostPid(), vectors.address(), 1, vectors.address() + 16, 1, 0);
            return Raw.string(local, 8);
        }
    }),
    WRITE_HOST_MEMORY(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment local = arena.allocateFrom("broken!!");
            MemorySegment vectors = vectors(arena, local, t.memoryAddress());
            return "written "
                    + Raw.check(
                            "process_vm_writev", 311, t.hostPid(), vectors.address(), 1, vectors.address() + 16, 1, 0);
        }
    }),
    TAKE_DESCRIPTOR(t -> {
        long pidfd = Raw.check("pidfd_open", 434, t.hostPid(), 0);
        return "taken " + Raw.check("pidfd_getfd", 438, pidfd, 1, 0);
    }),
    LIMIT_OTHERS(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            limit.set(ValueLayout.JAVA_LONG, 0, 5);
            limit.set(ValueLayout.JAVA_LONG, 8, 5);
            return "limited " + Raw.check("prlimit64", 302, t.decoyPid(), 7, limit.address(), 0);
        }
    }),
    SLOW_OTHERS(t -> "slowed " + Raw.check("setpriority", 141, 0, t.decoyPid(), 15)),
    MOVE_OTHERS(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(128, 8);
            mask.set(ValueLayout.JAVA_LONG, 0, 1);
            return "moved " + Raw.check("sched_setaffinity", 203, t.decoyPid(), 128, mask.address());
        }
    }),
    SHARED_MEMORY_BY_KEY(t -> {
        long id = Raw.check("shmget", 29, t.shmKey(), 0, 0);
        long address = Raw.check("shmat", 30, id, 0, 0);
        return Raw.string(MemorySegment.ofAddress(address).reinterpret(8), 8);
    }),
    MESSAGES_BY_KEY(t -> {
        long queue = Raw.check("msgget", 68, 0, 01600);
        Raw.call(71, queue, 0, 0);
        return "queue " + queue;
    }),
    SEMAPHORES_BY_KEY(t -> {
        long semaphores = Raw.check("semget", 64, 0, 1, 01600);
        Raw.call(66, semaphores, 0, 0, 0);
        return "semaphores " + semaphores;
    }),
    MESSAGE_QUEUE(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(64, 8);
            attributes.set(ValueLayout.JAVA_LONG, 8, 1);
            attributes.set(ValueLayout.JAVA_LONG, 16, 8);
            String name = "knit-escape-" + t.hostPid();
            long queue = Raw.check("mq_open", 240, text(name), 0x40 | 2, 0600, attributes.address());
            Raw.call(241, text(name));
            return "queue " + queue;
        }
    }),

    // ---- the machine and the kernel's large surfaces
    IO_URING(t -> {
        try (Arena arena = Arena.ofConfined()) {
            return "ring "
                    + Raw.check("io_uring_setup", 425, 4, arena.allocate(120, 8).address());
        }
    }),
    BPF(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = arena.allocate(72, 8);
            map.set(ValueLayout.JAVA_INT, 0, 2);
            map.set(ValueLayout.JAVA_INT, 4, 4);
            map.set(ValueLayout.JAVA_INT, 8, 4);
            map.set(ValueLayout.JAVA_INT, 12, 1);
            return "map " + Raw.check("bpf", 321, 0, map.address(), 72);
        }
    }),
    KEYRING(t -> "key " + Raw.check("add_key", 248, text("user"), text("knit"), text("x"), 1, -4)),
    USERFAULTFD(t -> "descriptor " + Raw.check("userfaultfd", 323, 1)),
    PERF_EVENTS(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(128, 8);
            event.set(ValueLayout.JAVA_INT, 0, 1);
            event.set(ValueLayout.JAVA_INT, 4, 128);
            return "descriptor " + Raw.check("perf_event_open", 298, event.address(), 0, -1, -1, 0);
        }
    }),
    MOUNT(t -> {
        long place = text(t.folder());
        Raw.check("mount", 165, text("none"), place, text("tmpfs"), 0, 0);
        Raw.call(166, place, 2);
        return "mounted";
    }),
    NEW_MOUNT(t -> "descriptor " + Raw.check("fsopen", 430, text("tmpfs"), 0)),
    OPEN_TREE(t -> "descriptor " + Raw.check("open_tree", 428, -100, text("/"), 1)),
    CHROOT(t -> "changed " + Raw.check("chroot", 161, text("/"))),
    USER_NAMESPACE(t -> Raw.fork("clone", 56, 0x10000000 | 17)),
    NAME_NAMESPACE(t -> "unshared " + Raw.check("unshare", 272, 0x04000000)),
    KERNEL_LOG(t -> "bytes " + Raw.check("syslog", 103, 10, 0, 0)),
    PERSONALITY(t -> "was " + Raw.check("personality", 135, 0)),
    HOST_NAME(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(390, 8);
            Raw.check("uname", 63, name.address());
            String host = name.getString(65);
            return "set " + Raw.check("sethostname", 170, name.address() + 65, host.length());
        }
    }),
    RAISE_LIMIT(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            Raw.check("prlimit64", 302, 0, 12, 0, limit.address());
            limit.set(ValueLayout.JAVA_LONG, 8, limit.get(ValueLayout.JAVA_LONG, 8) + 1);
            return "raised " + Raw.check("prlimit64", 302, 0, 12, limit.address(), 0);
        }
    }),
    CORE_DUMP(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            Raw.check("prlimit64", 302, 0, 4, 0, limit.address());
            long hard = limit.get(ValueLayout.JAVA_LONG, 8);
            if (hard == 0 || hard == 1) {
                throw new IOException("no core dumps");
            }
            return "a crash handler gets " + Long.toUnsignedString(hard);
        }
    }),
    GAIN_CAPABILITIES(t -> {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(32, 8);
            words.set(ValueLayout.JAVA_INT, 0, 0x20080522);
            words.set(ValueLayout.JAVA_INT, 8, 1);
            words.set(ValueLayout.JAVA_INT, 12, 1);
            Raw.check("capset", 126, words.address(), words.address() + 8);
            return "has one";
        }
    }),
    UNDO_NO_NEW_PRIVILEGES(t -> {
        Raw.call(157, 38, 0, 0, 0, 0);
        if (Raw.check("PR_GET_NO_NEW_PRIVS", 157, 39, 0, 0, 0, 0) == 1) {
            throw new IOException("still set");
        }
        return "not set";
    }),
    ENVIRONMENT(t -> {
        String path = System.getenv("PATH");
        if (path == null) {
            throw new IOException("no such variable");
        }
        return path;
    });

    /** What a worker does. */
    interface Attempt {
        String run(Targets targets) throws Exception;
    }

    private final Attempt attempt;

    Escape(Attempt attempt) {
        this.attempt = attempt;
    }

    /** Runs in the worker: what it got, or what refused it. */
    static String run(Escape escape, Targets targets) {
        try {
            return "ESCAPED " + escape.attempt.run(targets);
        } catch (Exception e) {
            return "refused " + e;
        }
    }

    // ---- what several attempts need

    /** A file in the worker's own temporary folder. */
    private static Path own(String name) {
        return Path.of(System.getProperty("java.io.tmpdir"))
                .resolve(name + "-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
    }

    /** A file that every worker may read. */
    private static String readable() {
        return System.getProperty("java.home") + "/release";
    }

    private static String written(Path file) {
        return "written " + file.getFileName();
    }

    private static String firstByte(String file) throws IOException {
        try (var in = Files.newInputStream(Path.of(file))) {
            return "byte " + in.read();
        }
    }

    private static String read(int descriptor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(256, 8);
            long count = Raw.check("read", 0, descriptor, buffer.address(), 256);
            return Raw.string(buffer, count);
        } finally {
            Raw.call(3, descriptor);
        }
    }

    /** Opens the shared memory of another process. */
    private static String segment(long pid) throws IOException {
        Path files = Path.of("/proc/" + pid + "/fd");
        // Numbers are tried, for the folder may not be listed.
        for (int descriptor = 0; descriptor < 400; descriptor++) {
            Path file = files.resolve(Integer.toString(descriptor));
            String name;
            try {
                name = Files.readSymbolicLink(file).toString();
            } catch (IOException e) {
                continue;
            }
            if (name.startsWith("/memfd:knitting")) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    return "opened, bytes=" + channel.size();
                }
            }
        }
        throw new IOException("no segment seen: pid=" + pid);
    }

    private static MemorySegment vectors(Arena arena, MemorySegment local, long remote) {
        MemorySegment vectors = arena.allocate(32, 8);
        vectors.set(ValueLayout.JAVA_LONG, 0, local.address());
        vectors.set(ValueLayout.JAVA_LONG, 8, 8);
        vectors.set(ValueLayout.JAVA_LONG, 16, remote);
        vectors.set(ValueLayout.JAVA_LONG, 24, 8);
        return vectors;
    }

    private static long text(String text) {
        return Arena.global().allocateFrom(text).address();
    }

    private static long arguments(String... words) {
        MemorySegment all = Arena.global().allocate(8L * (words.length + 1), 8);
        for (int i = 0; i < words.length; i++) {
            all.set(ValueLayout.JAVA_LONG, 8L * i, text(words[i]));
        }
        return all.address();
    }

    /** Does not return if it succeeds: the worker is another program then, which ends. */
    private static String exec(long number, long... arguments) throws IOException {
        Raw.check("exec", number, arguments);
        return "impossible";
    }
}

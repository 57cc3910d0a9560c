package dev.knitting.doorbell;

import dev.knitting.memory.PrivateDirectory;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the workers of one pool connect their bells: a Unix-domain socket in a directory of its own that only its owner
 * may enter. A worker connects and says which one it is, four bytes; from then on each byte either way is a ring.
 *
 * <p>A daemon thread accepts; a replaced worker's socket takes the place of the old one.
 */
public final class SocketDoor implements AutoCloseable {
    private final PrivateDirectory directory;
    private final Path path;
    private final ServerSocketChannel server;
    private final SocketSleeper sleeper;
    private final Map<Integer, SocketChannel> channels = new ConcurrentHashMap<>();
    private final Thread acceptor;

    private SocketDoor(PrivateDirectory directory, Path path, ServerSocketChannel server, SocketSleeper sleeper) {
        this.directory = directory;
        this.path = path;
        this.server = server;
        this.sleeper = sleeper;
        this.acceptor = new Thread(null, this::acceptAll, "knitting-bells");
        acceptor.setDaemon(true);
    }

    /** Opens a door whose callers ring this sleeper. */
    public static SocketDoor open(SocketSleeper sleeper) throws IOException {
        PrivateDirectory directory = PrivateDirectory.create();
        try {
            Path path = directory.path().resolve("bell");
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(path));
            SocketDoor door = new SocketDoor(directory, path, server, sleeper);
            door.acceptor.start();
            return door;
        } catch (IOException | RuntimeException | Error e) {
            directory.close(); // the path may be too long for a socket
            throw e;
        }
    }

    /** What workers connect to. */
    public Path path() {
        return path;
    }

    /** Number under which a worker's control bell connects, beside the worker's own. */
    public static int controlOf(int worker) {
        return worker | 1 << 16;
    }

    /** Wakes a worker once it has connected; until then it does not sleep on its bell. */
    public BellRinger ringerFor(int worker) {
        return () -> {
            SocketChannel channel = channels.get(worker);
            if (channel == null) {
                throw new IOException("the worker has not connected: worker=" + worker);
            }
            channel.write(ByteBuffer.allocate(1));
        };
    }

    /** Connects from a worker. */
    public static SocketChannel connect(String path, int worker) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        ByteBuffer number = ByteBuffer.allocate(Integer.BYTES).putInt(0, worker);
        while (number.hasRemaining()) {
            channel.write(number);
        }
        channel.configureBlocking(false);
        return channel;
    }

    private void acceptAll() {
        while (true) {
            SocketChannel channel;
            try {
                channel = server.accept();
            } catch (AsynchronousCloseException e) {
                return;
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            try {
                ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
                while (number.hasRemaining()) {
                    if (channel.read(number) < 0) {
                        throw new EOFException("a worker hung up before it said which one it is");
                    }
                }
                sleeper.add(channel);
                closeQuietly(channels.put(number.getInt(0), channel));
                // What was rung before went nowhere, and the worker may be asleep by now: it looks again.
                channel.write(ByteBuffer.allocate(1));
            } catch (IOException e) {
                closeQuietly(channel); // its start fails by the deadline, and says so
            }
        }
    }

    private static void closeQuietly(@Nullable SocketChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing is lost: a ring over a closed socket is retried by the next publication.
                assert !channel.isOpen();
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            channels.values().forEach(SocketDoor::closeQuietly);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            directory.close();
        }
    }
}

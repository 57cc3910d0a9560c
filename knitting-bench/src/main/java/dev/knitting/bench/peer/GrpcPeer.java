package dev.knitting.bench.peer;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * gRPC over a Unix-domain socket to a child JVM: one connection, Netty's native epoll transport, one event loop on each
 * side, callbacks on the event loops, no protobuf. Every call is a unary call of its own, which can fail alone.
 */
final class GrpcPeer implements Peer {
    static final int WINDOW_BYTES = 4 << 20;
    static final int MAX_MESSAGE_BYTES = 8 << 20;
    /** Netty loads machine code, and uses memory functions that JDK 25 warns of. */
    private static final List<String> JVM_OPTIONS =
            List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

    private final ChildJvm child;
    private final EpollEventLoopGroup group = new EpollEventLoopGroup(1);
    private final ManagedChannel channel;

    GrpcPeer() throws IOException {
        GrpcMethods.quietNetty();
        Path directory = Files.createTempDirectory("knitting-grpc");
        Path path = directory.resolve("socket");
        try {
            child = ChildJvm.start(JVM_OPTIONS, GrpcServer.class, path.toString());
            child.readLine();
            channel = connect(path);
            inc(0); // the path is not needed once there is a connection
        } finally {
            Files.deleteIfExists(path);
            Files.delete(directory);
        }
    }

    private ManagedChannel connect(Path path) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(group)
                .directExecutor()
                .usePlaintext()
                .initialFlowControlWindow(WINDOW_BYTES)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .build();
    }

    /** Why this machine cannot run it, or null. */
    static @Nullable String obstacle() {
        return Epoll.isAvailable() ? null : "no epoll transport of Netty for this system";
    }

    @Override
    public long inc(long value) {
        return ClientCalls.blockingUnaryCall(channel, GrpcMethods.INC, CallOptions.DEFAULT, value);
    }

    @Override
    public void incAll(long[] values, long[] results) throws Exception {
        Batch batch = new Batch(values.length);
        for (int i = 0; i < values.length; i++) {
            int index = i;
            batch.call(GrpcMethods.INC, values[i], result -> results[index] = result);
        }
        batch.await();
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws Exception {
        all(GrpcMethods.BYTES, values, results);
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws Exception {
        all(GrpcMethods.STRING, values, results);
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws Exception {
        all(GrpcMethods.ORDER, values, results);
    }

    private <T> void all(MethodDescriptor<T, T> method, T[] values, T[] results) throws Exception {
        Batch batch = new Batch(values.length);
        for (int i = 0; i < values.length; i++) {
            int index = i;
            batch.call(method, values[i], result -> results[index] = result);
        }
        batch.await();
    }

    /** Calls of which all must end. */
    private final class Batch {
        private final CountDownLatch open;
        private volatile @Nullable Throwable failure;

        Batch(int calls) {
            open = new CountDownLatch(calls);
        }

        <T> void call(MethodDescriptor<T, T> method, T value, Receiver<T> receiver) {
            ClientCalls.asyncUnaryCall(channel.newCall(method, CallOptions.DEFAULT), value, new StreamObserver<T>() {
                @Override
                public void onNext(T result) {
                    receiver.receive(result);
                }

                @Override
                public void onError(Throwable error) {
                    failure = error;
                    open.countDown();
                }

                @Override
                public void onCompleted() {
                    open.countDown();
                }
            });
        }

        void await() throws InterruptedException, ExecutionException {
            open.await();
            Throwable error = failure;
            if (error != null) {
                throw new ExecutionException(error);
            }
        }
    }

    private interface Receiver<T> {
        void receive(T result);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public String name() {
        return "grpc-uds";
    }

    @Override
    public Kind kind() {
        return Kind.PROCESS;
    }

    @Override
    public void close() throws IOException {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        child.close();
    }
}

package dev.knitting.bench.peer;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** The child of {@link GrpcPeer}: the tasks run on the event loop, which saves a hand-over to another thread. */
final class GrpcServer {
    private GrpcServer() {}

    /** Argument: the path to listen on. Prints a line when it listens. */
    public static void main(String[] args) throws IOException, InterruptedException {
        ChildJvm.endWithParent();
        GrpcMethods.quietNetty();
        EpollEventLoopGroup group = new EpollEventLoopGroup(1);
        Server server = NettyServerBuilder.forAddress(new DomainSocketAddress(args[0]))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .directExecutor()
                .initialFlowControlWindow(GrpcPeer.WINDOW_BYTES)
                .maxInboundMessageSize(GrpcPeer.MAX_MESSAGE_BYTES)
                .addService(service())
                .build()
                .start();
        System.out.println("ready");
        server.awaitTermination();
    }

    private static ServerServiceDefinition service() {
        ServerServiceDefinition.Builder builder = ServerServiceDefinition.builder(GrpcMethods.SERVICE);
        add(builder, GrpcMethods.INC, BenchTasks::inc);
        add(builder, GrpcMethods.BYTES, BenchTasks::echoBytes);
        add(builder, GrpcMethods.STRING, BenchTasks::echoString);
        add(builder, GrpcMethods.ORDER, BenchTasks::echoOrder);
        return builder.build();
    }

    private static <T> void add(
            ServerServiceDefinition.Builder builder, MethodDescriptor<T, T> method, UnaryOperator<T> task) {
        builder.addMethod(method, ServerCalls.asyncUnaryCall((T value, io.grpc.stub.StreamObserver<T> answers) -> {
            answers.onNext(task.apply(value));
            answers.onCompleted();
        }));
    }
}

package dev.knitting.bench.peer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.Remote;
import java.rmi.server.UnicastRemoteObject;
import java.util.Base64;

/** The child of {@link RmiPeer}: exports one object on the loopback address and prints its stub. */
final class RmiServer implements RmiService {
    /** Held for ever: the registry that would hold it does not exist. */
    private static final RmiServer INSTANCE = new RmiServer();

    private RmiServer() {}

    /** No arguments. */
    public static void main(String[] args) throws IOException {
        ChildJvm.endWithParent();
        String loopback = InetAddress.getLoopbackAddress().getHostAddress();
        System.setProperty("java.rmi.server.hostname", loopback);
        Remote stub = UnicastRemoteObject.exportObject(INSTANCE, 0, null, RmiServer::listen);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(stub);
        }
        System.out.println(Base64.getEncoder().encodeToString(bytes.toByteArray()));
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
    }

    @Override
    public long inc(long value) {
        return BenchTasks.inc(value);
    }

    @Override
    public byte[] echoBytes(byte[] bytes) {
        return BenchTasks.echoBytes(bytes);
    }

    @Override
    public String echoString(String text) {
        return BenchTasks.echoString(text);
    }

    @Override
    public Order echoOrder(Order order) {
        return BenchTasks.echoOrder(order);
    }
}

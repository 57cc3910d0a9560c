package dev.knitting.bench.peer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.rmi.RemoteException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Java RMI over the loopback interface to a child JVM.
 *
 * <p>RMI has blocking calls only. {@code inc} is one call on the caller's thread. A batch is spread over {@value
 * #CALLERS} threads, each with a connection of its own: with two cores more of them gain nothing.
 */
final class RmiPeer implements Peer {
    private static final int CALLERS = 8;

    private final ChildJvm child;
    private final RmiService service;
    private final ExecutorService callers = Executors.newFixedThreadPool(
            CALLERS, Thread.ofPlatform().daemon().name("jdk-rmi-", 0).factory());

    RmiPeer() throws IOException {
        child = ChildJvm.start(RmiServer.class);
        service = readStub(child.readLine());
    }

    private static RmiService readStub(String line) throws IOException {
        byte[] bytes = Base64.getDecoder().decode(line);
        try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (RmiService) input.readObject();
        } catch (ClassNotFoundException e) {
            throw new IOException("stub of an unknown class", e);
        }
    }

    @Override
    public long inc(long value) throws RemoteException {
        return service.inc(value);
    }

    @Override
    public void incAll(long[] values, long[] results) throws Exception {
        spread(values.length, i -> results[i] = service.inc(values[i]));
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws Exception {
        spread(values.length, i -> results[i] = service.echoBytes(values[i]));
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws Exception {
        spread(values.length, i -> results[i] = service.echoString(values[i]));
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws Exception {
        spread(values.length, i -> results[i] = service.echoOrder(values[i]));
    }

    /** Caller {@code k} makes the calls k, k + {@value #CALLERS}, ... one after the other. */
    private void spread(int count, IndexedCall call) throws Exception {
        List<Future<?>> parts = new ArrayList<>(CALLERS);
        for (int caller = 0; caller < Math.min(CALLERS, count); caller++) {
            parts.add(callers.submit(part(caller, count, call)));
        }
        for (Future<?> part : parts) {
            part.get();
        }
    }

    private static Callable<Void> part(int first, int count, IndexedCall call) {
        return () -> {
            for (int i = first; i < count; i += CALLERS) {
                call.make(i);
            }
            return null;
        };
    }

    private interface IndexedCall {
        void make(int index) throws RemoteException;
    }

    @Override
    public String name() {
        return "jdk-rmi";
    }

    @Override
    public Kind kind() {
        return Kind.PROCESS;
    }

    @Override
    public void close() throws IOException {
        callers.shutdownNow();
        child.close();
    }
}

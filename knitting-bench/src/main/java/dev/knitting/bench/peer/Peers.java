package dev.knitting.bench.peer;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The peers that a benchmark can choose from, and the limit. */
public final class Peers {
    /** How a peer comes to life. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Starts the peer and waits until it accepts calls.
         *
         * @throws Exception if it does not get that far; nothing is left behind then
         */
        Peer open() throws Exception;
    }

    /**
     * A peer that is not started yet.
     *
     * @param name the name that the started peer has too
     * @param opener starts it
     * @param libraryClass a class of the library that it needs, or null; only the launcher puts these on the class path
     * @param obstacleCheck finds what else stands in the way on this machine; asked when the library is there
     */
    public record Choice(
            String name, Opener opener, @Nullable String libraryClass, Supplier<@Nullable String> obstacleCheck) {
        /** A peer that runs everywhere. */
        public Choice(String name, Opener opener) {
            this(name, opener, null, () -> null);
        }

        /** Why the peer cannot be started here, for people; null if it can. */
        public @Nullable String obstacle() {
            return libraryClass == null || isPresent(libraryClass)
                    ? obstacleCheck.get()
                    : "its library is not on the class path; ./knit bench puts it there";
        }

        private static boolean isPresent(String className) {
            try {
                Class.forName(className, false, Peers.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }
    }

    private static final String AERON = "io.aeron.driver.MediaDriver";
    private static final String DISRUPTOR = "com.lmax.disruptor.RingBuffer";
    private static final String GRPC = "io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder";

    private static final List<Choice> ALL = List.of(
            limit(),
            new Choice("limit-park", ParkLimitPeer::new, null, Futex::obstacle),
            new Choice("limit-park-thread", ThreadParkLimitPeer::new),
            new Choice("knitting-thread", KnittingPeer::threads),
            new Choice("knitting-process", KnittingPeer::processes),
            new Choice("jdk-executor", ExecutorPeer::fixed),
            new Choice("jdk-forkjoin", ExecutorPeer::forkJoin),
            new Choice("jdk-virtual", ExecutorPeer::virtual),
            new Choice("disruptor-busyspin", () -> DisruptorPeer.busySpin(), DISRUPTOR, () -> null),
            new Choice("disruptor-blocking", () -> DisruptorPeer.blocking(), DISRUPTOR, () -> null),
            new Choice("jdk-rmi", RmiPeer::new),
            new Choice("uds", UdsPeer::new),
            new Choice("pipes", PipesPeer::new),
            new Choice("grpc-uds", () -> new GrpcPeer(), GRPC, () -> GrpcPeer.obstacle()),
            new Choice("aeron-ipc-spin", () -> AeronPeer.spin(), AERON, () -> AeronPeer.obstacle()),
            new Choice("aeron-ipc-backoff", () -> AeronPeer.backoff(), AERON, () -> AeronPeer.obstacle()));

    private Peers() {}

    /** All of them, in the order of reports. */
    public static List<Choice> all() {
        return ALL;
    }

    /** Two JVMs that spin on a word each: it has {@link Op#INC_SYNC} only. */
    public static Choice limit() {
        return new Choice("limit", LimitPeer::new);
    }
}

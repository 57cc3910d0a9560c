package dev.knitting.bench.peer;

/** The functions that all peers run. Each changes a little of its argument, so that a caller sees that it ran. */
public final class BenchTasks {
    private BenchTasks() {}

    /** The number plus one. */
    public static long inc(long value) {
        return value + 1;
    }

    /**
     * Adds one to the first and to the last byte, in place: thread peers pass references and copy nothing.
     *
     * @param bytes at least two bytes
     * @return the same array
     */
    public static byte[] echoBytes(byte[] bytes) {
        bytes[0]++;
        bytes[bytes.length - 1]++;
        return bytes;
    }

    /** The same string. A change would cost a copy that has nothing to do with the round trip. */
    public static String echoString(String text) {
        return text;
    }

    /** The order with its id and its status plus one. */
    public static Order echoOrder(Order order) {
        return new Order(
                order.id() + 1,
                order.customer(),
                order.amount(),
                order.status() + 1,
                order.items(),
                order.attributes());
    }
}

package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Payloads of the peers that move plain bytes, written by hand. The same form goes both ways. */
final class WireCodec {
    private WireCodec() {}

    static byte[] readBytes(ByteBuffer input, int length) {
        byte[] bytes = new byte[length];
        input.get(bytes);
        return bytes;
    }

    static String readString(ByteBuffer input, int length) {
        return new String(readBytes(input, length), UTF_8);
    }

    /** Needs up to {@link #maxBytes(Order)} bytes of room. */
    static void writeOrder(ByteBuffer output, Order order) {
        output.putLong(order.id()).putDouble(order.amount()).putInt(order.status());
        putText(output, order.customer());
        output.putInt(order.items().size());
        for (String item : order.items()) {
            putText(output, item);
        }
        output.putInt(order.attributes().size());
        for (Map.Entry<String, Double> attribute : order.attributes().entrySet()) {
            putText(output, attribute.getKey());
            output.putDouble(attribute.getValue());
        }
    }

    static Order readOrder(ByteBuffer input) {
        long id = input.getLong();
        double amount = input.getDouble();
        int status = input.getInt();
        String customer = getText(input);
        int itemCount = input.getInt();
        List<String> items = new ArrayList<>(itemCount);
        for (int i = 0; i < itemCount; i++) {
            items.add(getText(input));
        }
        int attributeCount = input.getInt();
        Map<String, Double> attributes = HashMap.newHashMap(attributeCount);
        for (int i = 0; i < attributeCount; i++) {
            attributes.put(getText(input), input.getDouble());
        }
        return new Order(id, customer, amount, status, items, attributes);
    }

    /** Fixed fields and counts, then each text with its length at three bytes a character. */
    static int maxBytes(Order order) {
        int bytes = 8 + 8 + 4 + 4 + 4 + maxBytes(order.customer());
        for (String item : order.items()) {
            bytes += maxBytes(item);
        }
        for (String key : order.attributes().keySet()) {
            bytes += maxBytes(key) + 8;
        }
        return bytes;
    }

    private static int maxBytes(String text) {
        return 4 + 3 * text.length();
    }

    private static void putText(ByteBuffer output, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        output.putInt(bytes.length).put(bytes);
    }

    private static String getText(ByteBuffer input) {
        return readString(input, input.getInt());
    }
}

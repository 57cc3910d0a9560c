package dev.knitting.bench.peer;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * The record that {@link Op#ORDER} sends, about 250 bytes.
 *
 * @param id changed by the task
 * @param customer a name
 * @param amount a price
 * @param status changed by the task
 * @param items names of articles
 * @param attributes named numbers
 */
public record Order(
        long id, String customer, double amount, int status, List<String> items, Map<String, Double> attributes)
        implements Serializable {

    /**
     * A typical order.
     *
     * @param id its number, which also varies the other fields
     */
    public static Order sample(long id) {
        return new Order(
                id,
                "Customer " + id + ", Analytical Street 12",
                id * 0.25,
                (int) (id & 0xff),
                List.of("gear wheel 40 teeth", "axle 8 mm", "punched cards", "brass plate " + id, "oil"),
                Map.of("weight kg", 12.5, "discount", 0.05, "tax rate", 0.2, "volume l", id * 0.5));
    }
}

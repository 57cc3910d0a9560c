package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What fits the header words: no body at all. */
class ScalarRoundTripTest {
    private enum Colour {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "a constant with a class of its own";
            }
        }
    }

    private final ValueCodec codec = Crossing.codec(Colour.class);

    @Property(tries = 200)
    void cross_integers_keepValueAndClass(
            @ForAll long a, @ForAll int b, @ForAll short c, @ForAll byte d, @ForAll char e, @ForAll boolean f) {
        for (Object value : new Object[] {a, b, c, d, e, f}) {
            assertCrossesInHeader(value);
        }
    }

    @Property(tries = 500)
    void cross_floatingPoint_keepsEveryBit(@ForAll long bits) {
        double wide = Double.longBitsToDouble(bits);
        assertThat(Double.doubleToRawLongBits((Double) Crossing.cross(codec, wide)))
                .isEqualTo(Double.doubleToRawLongBits(wide));
        float narrow = Float.intBitsToFloat((int) bits);
        assertThat(Float.floatToRawIntBits((Float) Crossing.cross(codec, narrow)))
                .isEqualTo(Float.floatToRawIntBits(narrow));
    }

    @Test
    void cross_oddNumbers_keepsEveryBit() {
        double payloadNaN = Double.longBitsToDouble(0x7ff8_0000_dead_beefL);
        assertThat(Double.doubleToRawLongBits((Double) Crossing.cross(codec, payloadNaN)))
                .isEqualTo(0x7ff8_0000_dead_beefL);
        float payloadNaNFloat = Float.intBitsToFloat(0xffc0_1234);
        assertThat(Float.floatToRawIntBits((Float) Crossing.cross(codec, payloadNaNFloat)))
                .isEqualTo(0xffc0_1234);
        assertCrossesInHeader(-0.0);
        assertCrossesInHeader(-0.0f);
        assertCrossesInHeader(Long.MIN_VALUE);
    }

    @Test
    void cross_null_staysNull() {
        assertThat(Crossing.cross(codec, null)).isNull();
    }

    @Property(tries = 100)
    void cross_ids_keepAllBits(@ForAll long high, @ForAll long low) {
        assertCrossesInHeader(new UUID(high, low));
    }

    @Test
    void cross_instantsAndDurations_keepTheExtremes() {
        assertCrossesInHeader(Instant.MIN);
        assertCrossesInHeader(Instant.MAX);
        assertCrossesInHeader(Instant.EPOCH.minusNanos(1));
        assertCrossesInHeader(Duration.ofSeconds(Long.MIN_VALUE));
        assertCrossesInHeader(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
    }

    @Test
    void cross_enumConstants_areTheSameObjects() {
        for (Colour colour : Colour.values()) {
            assertThat(Crossing.cross(codec, colour)).isSameAs(colour);
        }
    }

    private void assertCrossesInHeader(Object value) {
        Payload sent = new Payload();
        codec.encode(value, sent);
        assertThat(sent.bodyLength).isZero();
        assertThat(sent.body).isNull();
        assertThat(Crossing.cross(codec, value)).isEqualTo(value).hasSameClassAs(value);
    }
}

package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StringRoundTripTest {
    private final ValueCodec codec = new ValueCodec(TypeTable.EMPTY, 70_000);

    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 511, 512, 513, 34_999, 35_000, 35_001, 65_536, 69_999, 70_000
            })
    void cross_latin1OfAnyLength_takesOneByteACharacter(int length) {
        for (String text : List.of("x".repeat(length), "\u00ff".repeat(length), "\0".repeat(length))) {
            Payload sent = new Payload();
            codec.encode(text, sent);
            assertThat(sent.bodyLength).isEqualTo(length <= 32 ? 0 : length);
            assertThat(sent.headerLength).isEqualTo(length <= 32 ? length : 0);
            assertThat(Crossing.cross(codec, text)).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 512, 513, 34_999, 35_000})
    void cross_utf16OfAnyLength_takesTwoBytesACharacter(int length) {
        for (String text : List.of(
                "\u0100".repeat(length),
                "\ud800".repeat(length), // lone surrogates
                "\uffff".repeat(length),
                "x".repeat(length - 1) + "\u20ac")) {
            Payload sent = new Payload();
            codec.encode(text, sent);
            assertThat(sent.bodyLength).isEqualTo(length <= 16 ? 0 : 2L * length);
            assertThat(Crossing.cross(codec, text)).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u20ac"})
    void encode_beyondTheCap_isRefusedWithLengthAndLimit(String character) {
        int bytes = character.equals("x") ? 1 : 2;
        String text = character.repeat(70_000 / bytes + 1);
        Assertions.assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec.encode(text, new Payload()))
                .withMessageContaining("length=" + text.length() * bytes)
                .withMessageContaining("limit=70000")
                .withMessageContaining("option=payload.maxBytes")
                .withMessageContaining("java.lang.String")
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
    }

    @Property(tries = 1000)
    void cross_anyCodeUnits_keepsThem(@ForAll("texts") String text) {
        assertThat(Crossing.cross(codec, text)).isEqualTo(text);
        assertThat(Crossing.cross(codec, List.of(text))).isEqualTo(List.of(text));
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.randomValue(StringRoundTripTest::anyText);
    }

    private static String anyText(Random random) {
        int highest = List.of(0x80, 0x100, 0x101, 0x10000).get(random.nextInt(4));
        char[] units = new char[random.nextInt(80)];
        for (int i = 0; i < units.length; i++) {
            units[i] = (char) random.nextInt(highest);
        }
        return new String(units);
    }

    @Property(tries = 50)
    void decode_payloadUsedBefore_showsNothingOfTheOldValue(
            @ForAll("texts") String first, @ForAll("texts") String text) {
        Payload reused = new Payload();
        codec.encode(first, reused);
        codec.encode(text, reused);
        assertThat(codec.decode(reused)).isEqualTo(text);
        if (text.length() <= 8 && Text.isLatin1(text)) {
            assertThat(reused.word1).isZero();
        }
    }
}

package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A word and a payload say the same: one side may write what the other form reads. */
final class WordCodecTest {
    static Stream<Object> words() {
        return Stream.of(
                0L,
                -1L,
                Long.MIN_VALUE,
                0,
                -1,
                Integer.MIN_VALUE,
                0.0,
                -0.0,
                Double.NaN,
                Double.MIN_VALUE,
                true,
                false);
    }

    static Stream<Object> others() {
        return Stream.of((byte) 1, (short) 1, 'c', 1.0f, "text", new Object(), new long[0]);
    }

    @ParameterizedTest
    @MethodSource("words")
    void decode_ofItsOwnWord_sameValue(Object value) {
        byte tag = WordCodec.tagOf(value);
        assertThat(WordCodec.isWord(tag)).isTrue();
        assertThat(WordCodec.decode(tag, WordCodec.wordOf(value))).isEqualTo(value);
    }

    @Test
    void decode_null_null() {
        byte tag = WordCodec.tagOf(null);
        assertThat(WordCodec.isWord(tag)).isTrue();
        assertThat(WordCodec.decode(tag, WordCodec.wordOf(null))).isNull();
    }

    @Property
    void tagAndWord_anyLong_asThePayloadHasThem(@ForAll long value) {
        Payload payload = new Payload();
        new ValueCodec(TypeTable.EMPTY, 1_000).encode(value, payload);
        assertThat(payload.tag).isEqualTo(WordCodec.tagOf(value));
        assertThat(payload.word0).isEqualTo(WordCodec.wordOf(value));
        assertThat(payload.bodyLength).isZero();
        assertThat(payload.headerLength).isZero();
    }

    @ParameterizedTest
    @MethodSource("others")
    void tagOf_whatIsMoreThanAWord_none(Object value) {
        assertThat(WordCodec.tagOf(value)).isEqualTo(WordCodec.NOT_A_WORD);
    }

    /** A hostile peer may send any byte. */
    @Test
    void isWord_everyByte_onlyTheSixTags() {
        int words = 0;
        for (int tag = Byte.MIN_VALUE; tag <= Byte.MAX_VALUE; tag++) {
            words += WordCodec.isWord((byte) tag) ? 1 : 0;
        }
        assertThat(words).isEqualTo(6);
        assertThat(WordCodec.isWord(WordCodec.NOT_A_WORD)).isFalse();
    }
}

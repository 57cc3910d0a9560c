package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The depth limit must end a deep value before the stack of a small thread does. */
class SmallStackTest {
    private static final long STACK_BYTES = 256 << 10;

    private record Node(Object inner) {}

    /** Met for the first time at the bottom: making the shape of a record takes some stack too. */
    private record Leaf(int a, long b, String c) {}

    private enum Level {
        LIST,
        SET,
        MAP,
        ARRAY,
        OPTIONAL,
        RECORD;

        Object around(Object inner) {
            return switch (this) {
                case LIST -> List.of(inner);
                case SET -> new HashSet<>(List.of(inner));
                case MAP -> Map.of("k", inner);
                case ARRAY -> new Object[] {inner};
                case OPTIONAL -> Optional.of(inner);
                case RECORD -> new Node(inner);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void cross_atTheLimitOnASmallStack_neitherOverflowsNorIsRefused(Level level) throws Exception {
        Object value = new Leaf(1, 2, "leaf");
        for (int i = 0; i < ValueCodec.DEFAULT_MAX_DEPTH - 1; i++) {
            value = level.around(value);
        }
        Object deep = value;
        Object deeper = level.around(value);
        List<Throwable> outcome = new ArrayList<>();
        Thread small = new Thread(
                null,
                () -> {
                    ValueCodec codec = Crossing.codec(Node.class, Leaf.class);
                    try {
                        assertThat(Crossing.cross(codec, deep)).isNotNull();
                        codec.encode(deeper, new Payload());
                    } catch (Throwable thrown) {
                        outcome.add(thrown);
                    }
                },
                "small stack",
                STACK_BYTES);
        small.start();
        small.join();
        assertThat(outcome).singleElement().isInstanceOfSatisfying(KnittingException.class, refused -> {
            assertThat(refused).hasMessageContaining("nested too deeply").hasNoCause();
            assertThat(refused.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
        });
    }
}

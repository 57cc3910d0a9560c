package dev.knitting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Programs decide by codes, and hosts and workers exchange their numbers: neither may change. */
class ErrorCodeTest {
    /** A code that is no more keeps its line here, so that its number is not given away again. */
    private static final Map<Integer, String> NUMBERS = Map.ofEntries(
            Map.entry(1, "TASK_FAILED"),
            Map.entry(2, "UNSUPPORTED_PAYLOAD"),
            Map.entry(3, "PAYLOAD_TOO_LARGE"),
            Map.entry(4, "ARENA_FULL"),
            Map.entry(5, "OUT_OF_SHARED_MEMORY"),
            Map.entry(6, "TASK_NOT_FOUND"),
            Map.entry(7, "STARTUP_FAILED"),
            Map.entry(8, "WORKER_CRASHED"),
            Map.entry(9, "WORKER_EXITED"),
            Map.entry(10, "POOL_CLOSED"),
            Map.entry(11, "QUEUE_FULL"),
            Map.entry(12, "INTERRUPTED"),
            Map.entry(13, "LAYOUT_MISMATCH"),
            Map.entry(14, "CORRUPT_PEER"),
            Map.entry(15, "BAD_OPTION"),
            Map.entry(16, "BAD_TASK"),
            Map.entry(17, "UNSUPPORTED_PLATFORM"),
            Map.entry(18, "TOO_MANY_TASKS"),
            Map.entry(30, "TIMEOUT"),
            Map.entry(31, "HARD_TIMEOUT"),
            Map.entry(32, "OUT_OF_MEMORY"),
            Map.entry(33, "MEMORY_KILLED"),
            Map.entry(34, "WORKER_LOST"),
            Map.entry(35, "CALL_POISONED"),
            Map.entry(40, "NESTED_POOL"));

    @Test
    void numbers_allCodes_areThoseThatWereGivenOut() {
        assertThat(Arrays.stream(ErrorCode.values()).collect(Collectors.toMap(ErrorCode::number, ErrorCode::name)))
                .as("a new code gets a new number, and a line here")
                .isEqualTo(NUMBERS);
    }

    @Test
    void of_number_findsTheCodeOrRefuses() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.of(code.number())).isSameAs(code);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> ErrorCode.of(0)).withMessageContaining("0");
    }

    @Test
    void message_pairs_areNamedAfterWhatFailed() {
        assertThat(KnittingException.of(ErrorCode.PAYLOAD_TOO_LARGE, "payload too large", "length", 7, "limit", 5))
                .hasMessage("payload too large: length=7, limit=5")
                .isInstanceOf(RuntimeException.class);
        assertThat(KnittingException.message("no more")).isEqualTo("no more");
        assertThatIllegalArgumentException().isThrownBy(() -> KnittingException.message("x", "name"));
    }
}

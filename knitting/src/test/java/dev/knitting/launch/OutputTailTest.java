package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutputTailTest {
    private final OutputTail tail = new OutputTail();

    @Test
    void text_nothingPrinted_isEmpty() {
        assertThat(tail.text()).isEmpty();
    }

    @Test
    void add_moreThan64Lines_keepsTheLast() {
        for (int i = 0; i < 1000; i++) {
            tail.add("line " + i);
        }

        assertThat(tail.text().lines()).hasSize(64).first().isEqualTo("line 936");
        assertThat(tail.text()).endsWith("line 999");
    }

    @Test
    void add_longLines_keepsAtMost16KiB() {
        for (int i = 0; i < 50; i++) {
            tail.add("x".repeat(8000) + i);
        }

        assertThat(tail.text())
                .hasSizeLessThanOrEqualTo(OutputTail.MAX_CHARS)
                .endsWith("x49")
                .contains("x48");
    }

    @Test
    void add_oneLineBeyondTheLimit_keepsItsEnd() {
        tail.add("y".repeat(100_000) + "end");

        assertThat(tail.text()).hasSizeBetween(16_000, OutputTail.MAX_CHARS).endsWith("end");
    }

    @Test
    void unfinished_lineWithoutEnd_isPartOfTheText() {
        tail.add("one");
        tail.unfinished("tw");
        tail.unfinished("two");

        assertThat(tail.text()).isEqualTo("one\ntwo");
    }
}

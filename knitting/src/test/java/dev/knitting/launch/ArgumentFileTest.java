package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ArgumentFileTest {
    @Property(tries = 300)
    void read_whatWasWritten_givesTheSameWords(
            @ForAll @Size(max = 6) List<@NotEmpty @CharRange(from = '\t', to = '~') String> words) {
        assertThat(ArgumentFile.read(ArgumentFile.write(words))).isEqualTo(words);
    }

    @Test
    void read_commentsQuotesAndJoinedLines_followsTheLauncher() {
        String text = """
            # a comment
            -Da=1 "-Db=two words" -Dc='it''s' # rest
            "-cp" "one:\\
               two" c:\\dir "c:\\\\dir"
            """;

        assertThat(ArgumentFile.read(text))
                .containsExactly("-Da=1", "-Db=two words", "-Dc=its", "-cp", "one:two", "c:\\dir", "c:\\dir");
    }
}

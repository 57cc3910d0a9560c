package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class KnitTest {
    @Test
    void helpNamesTheCommand() {
        var out = new StringWriter();
        int exitCode = Knit.commandLine().setOut(new PrintWriter(out)).execute("--help");
        assertThat(exitCode).isZero();
        assertThat(out.toString()).startsWith("Usage: knit ");
    }
}

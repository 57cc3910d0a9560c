package dev.knitting.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/**
 * One run of the command inside the test's JVM.
 *
 * @param exitCode what the process would end with
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record CommandRun(int exitCode, String out, String err) {
    static CommandRun of(CountingPool pool, String... args) {
        return of(pool, new ByteArrayInputStream(new byte[0]), true, args);
    }

    static CommandRun of(CountingPool pool, InputStream in, String... args) {
        return of(pool, in, false, args);
    }

    private static CommandRun of(CountingPool pool, InputStream in, boolean inIsTerminal, String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var terminal = new Terminal(
                in, out, new PrintStream(err, true, StandardCharsets.UTF_8), inIsTerminal, false, false, true);
        int exitCode = Knit.commandLine(terminal, pool::open).execute(args);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The lines of standard output, parsed by the JSON library. */
    List<Map<String, Object>> lines() {
        return out.lines().map(line -> JSON.std.mapFrom(line)).toList();
    }
}

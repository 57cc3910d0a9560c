package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.observe.SandboxTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code map}'s sandbox, with real workers. */
final class MapSandboxTest {
    private static final String PEEK = MapSandboxTest.class.getName() + "::peek";

    @TempDir
    Path folder;

    @BeforeEach
    void needsAKernelThatEnforces() {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
    }

    /** Reads its input, and then the diary in the home of the neighbour that the input names. */
    static String peek(Path input) throws IOException {
        return Files.readString(Path.of(Files.readString(input), "diary"));
    }

    private CommandRun map(String... options) throws Exception {
        Path neighbour = Files.createDirectories(folder.resolve("home/neighbour"));
        Files.writeString(neighbour.resolve("diary"), "private");
        Path input = Files.writeString(folder.resolve("input"), neighbour.toString());
        List<String> all = new java.util.ArrayList<>(List.of("map", "--task", PEEK, "--max-heap", "48m"));
        all.addAll(List.of(options));
        all.add(input.toString());
        return KnitProcess.start(folder, all.toArray(String[]::new)).join();
    }

    @Test
    void map_byDefault_readsItsInputsAndNotTheNeighboursHome() throws Exception {
        CommandRun run = map();
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        Map<?, ?> error = (Map<?, ?>) run.lines().getFirst().get("error");
        assertThat(error.get("message"))
                .asString()
                .contains("AccessDeniedException")
                .contains("[refused by the sandbox: path=" + folder + "/home/neighbour/diary, option=sandbox.read");
    }

    @Test
    void map_sandboxFile_allowsWhatItSays() throws Exception {
        Path file = Files.writeString(folder.resolve("sandbox.properties"), "read = home/neighbour\n");
        // The folder must exist when the file is used.
        CommandRun run = map("--sandbox", file.toString());
        assertThat(run.lines().getFirst()).as(run.err()).containsEntry("result", "private");
    }

    @Test
    void map_sandboxNone_allowsAll() throws Exception {
        assertThat(map("--sandbox", "none").lines().getFirst()).containsEntry("result", "private");
    }

    @Test
    void map_allowRead_addsToTheDefault() throws Exception {
        String home = Files.createDirectories(folder.resolve("home")).toString();
        assertThat(map("--allow-read", home).lines().getFirst()).containsEntry("result", "private");
    }

    @Test
    void map_unknownKeyInTheFile_isWrongUsage() throws Exception {
        Path file = Files.writeString(folder.resolve("bad.properties"), "reed = x\n");
        CommandRun run = map("--sandbox", file.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("key=reed");
    }
}

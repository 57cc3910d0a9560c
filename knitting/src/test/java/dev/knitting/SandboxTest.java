package dev.knitting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The value itself: what it refuses, how it is read from a file. */
class SandboxTest {
    @TempDir
    Path directory;

    @Test
    void strict_changed_isAnotherValueAndStaysAsItWas() {
        Sandbox strict = Sandbox.strict();
        Sandbox wider = strict.read(Path.of("a")).connect(443).env("LANG");
        assertThat(strict.paths()).isEmpty();
        assertThat(wider).isNotEqualTo(strict).hasToString("strict read=a connect=[443] env=[LANG]");
        assertThat(wider).isEqualTo(strict.read(Path.of("a")).connect(443).env("LANG"));
        assertThat(strict.restricts()).isTrue();
    }

    @Test
    void none_somethingAllowed_isRefused() {
        assertThat(Sandbox.none().restricts()).isFalse();
        assertThatThrownBy(() -> Sandbox.none().connect(1)).hasMessageContaining("option=sandbox.connect");
    }

    @Test
    void ports_outOfRange_areRefused() {
        assertThatThrownBy(() -> Sandbox.strict().connect(0)).hasMessageContaining("value=0");
        assertThatThrownBy(() -> Sandbox.strict().bind(70_000)).hasMessageContaining("most=65535");
        assertThat(Sandbox.strict().bind(0).bind()).containsExactly(0);
    }

    @Test
    void execute_anything_impliesChildProcesses() {
        assertThat(Sandbox.strict().execute(Path.of("/bin/true")).childProcesses())
                .isTrue();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("sandbox.properties"), text);
    }

    @Test
    void parse_allKeys_saysTheSame() throws IOException {
        Sandbox parsed = Sandbox.parse(file("""
            read = in, /usr/share , ~/documents, file:/opt/x
            write = out
            deny = in/secret
            execute = /bin/true
            connect = 443, 8443
            bind = 0
            env = LANG,TZ
            childProcesses = true
            """));
        assertThat(parsed)
                .isEqualTo(Sandbox.strict()
                        .read(
                                directory.resolve("in"),
                                Path.of("/usr/share"),
                                Path.of(System.getProperty("user.home"), "documents"),
                                Path.of("/opt/x"))
                        .write(directory.resolve("out"))
                        .deny(directory.resolve("in/secret"))
                        .connect(443, 8443)
                        .bind(0)
                        .env("LANG", "TZ")
                        .execute(Path.of("/bin/true")));
    }

    @Test
    void parse_emptyFile_isStrict() throws IOException {
        assertThat(Sandbox.parse(file("# nothing\n"))).isEqualTo(Sandbox.strict());
    }

    @Test
    void parse_mistakes_areNamed() throws IOException {
        Path unknown = file("reads = x");
        assertThatThrownBy(() -> Sandbox.parse(unknown))
                .isInstanceOf(KnittingException.class)
                .hasMessageContaining("key=reads")
                .hasMessageContaining("childProcesses");
        Path port = file("connect = https");
        assertThatThrownBy(() -> Sandbox.parse(port)).hasMessageContaining("value=https");
        Path flag = file("childProcesses = yes");
        assertThatThrownBy(() -> Sandbox.parse(flag)).hasMessageContaining("true or false");
        assertThatThrownBy(() -> Sandbox.parse(directory.resolve("missing"))).hasMessageContaining("missing");
    }

    @Test
    void options_thatContradictASandbox_areRefusedNamingBoth() {
        for (PoolBuilder builder : new PoolBuilder[] {
            Pool.threads(1),
            Pool.processes(1).memory(Memory.NAMED),
            Pool.processes(1).doorbells(Doorbells.SOCKET),
            Pool.processes(1).debugWorkers()
        }) {
            assertThatThrownBy(() -> builder.sandbox(Sandbox.strict()).options())
                    .isInstanceOf(KnittingException.class)
                    .hasMessageContaining("sandbox=strict");
        }
        assertThat(Pool.processes(1).sandbox(Sandbox.strict()).options().segmentPerWorker())
                .isTrue();
    }

    @Test
    void resources_outOfRange_areRefused() {
        assertThatThrownBy(() -> Pool.processes(1).resources(r -> r.nice(20))).hasMessageContaining("resources.nice");
        assertThatThrownBy(() -> Pool.processes(1).resources(r -> r.metaspace("much")))
                .hasMessageContaining("resources.metaspace");
        assertThatThrownBy(() -> Pool.threads(1).resources(r -> r.openFiles(9)).options())
                .hasMessageContaining("resources");
    }

    @Test
    void deny_ofNothing_isNoRestriction() {
        assertThat(Sandbox.strict().deny()).isEqualTo(Sandbox.strict());
    }
}

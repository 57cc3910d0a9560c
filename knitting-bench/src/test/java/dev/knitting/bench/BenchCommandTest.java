package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter error = new StringWriter();

    private int run(String... args) {
        return new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(output))
                .setErr(new PrintWriter(error))
                .execute(args);
    }

    @Test
    void call_unknownPeer_listsTheValidOnes() {
        assertThat(run("--peers", "uds,carrier-pigeon")).isEqualTo(2);
        assertThat(error.toString())
                .contains("unknown peer: carrier-pigeon; valid: limit, limit-park, limit-park-thread,"
                        + " knitting-thread, knitting-process, jdk-executor, jdk-forkjoin, jdk-virtual,"
                        + " disruptor-busyspin, disruptor-blocking, jdk-rmi, uds, pipes, grpc-uds, aeron-ipc-spin,"
                        + " aeron-ipc-backoff, all");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void call_unknownOperation_listsTheValidOnes() {
        assertThat(run("--ops", "dec")).isEqualTo(2);
        assertThat(error.toString())
                .contains("unknown operation: dec; valid: inc-sync, inc, bytes8, bytes1k, bytes64k, bytes1m, string1m,"
                        + " order, all");
    }

    @ParameterizedTest
    @CsvSource({
        "--rounds,0",
        "--rounds,x",
        "--batches,0",
        "--seconds,0",
        "--seconds,NaN",
        "--startup,0",
        "--idle,-1",
        "--park,0",
        "--callers,0"
    })
    void call_numberOutOfRange_namesTheOption(String option, String value) {
        assertThat(run(option, value)).isEqualTo(2);
        assertThat(error.toString()).contains(option).contains(value);
    }

    @Test
    void call_operationsThatThePeerLacks_saysSo() {
        assertThat(run("--peers", "limit", "--ops", "order")).isEqualTo(2);
        assertThat(error.toString()).contains("nothing to measure: --peers=limit --ops=order");
    }

    @Test
    void call_json_printsOneObjectPerCase() {
        int exitCode = run(
                "--json",
                "--peers",
                "jdk-executor",
                "--ops",
                "inc-sync,bytes8",
                "--batches",
                "2,3",
                "--rounds",
                "1",
                "--seconds",
                "0.01");
        assertThat(exitCode).isZero();
        String number = "[0-9]+(\\.[0-9]+)?";
        assertThat(output.toString().lines())
                .hasSize(3)
                .allMatch(line -> line.matches("\\{\"peer\":\"jdk-executor\",\"kind\":\"thread\",\"op\":\"[a-z0-9-]+\","
                        + "\"batch\":[123],\"n\":[0-9]+,\"p50_ns\":N,\"p99_ns\":N,\"per_call_p50_ns\":N,"
                                .replace("N", number)
                        + "\"limit_p50_ns\":N,\"x_limit\":N,\"rounds\":1\\}".replace("N", number)));
        assertThat(error.toString()).contains("starting jdk-executor");
    }
}

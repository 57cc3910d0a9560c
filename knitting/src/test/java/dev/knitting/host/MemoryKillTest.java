package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A real control group, a real kill by the kernel. Where groups cannot be made the test is skipped. */
class MemoryKillTest {
    private static final Path GROUPS = Path.of("/sys/fs/cgroup/memory");

    /** A host in the group: its worker takes more than the group has. */
    static final class Host {
        static final Task<Void, Integer> TAKE_ALL = Task.of(Host::takeAll);

        private Host() {}

        public static void main(String[] arguments) {
            try (Pool pool = Pool.processes(1)
                    .name("memory")
                    .jvm(jvm -> jvm.maxHeap("2g").options("-XX:+AlwaysPreTouch", "-Xms64m"))
                    .open()) {
                try {
                    pool.invoke(TAKE_ALL);
                } catch (KnittingException e) {
                    System.out.println(e.code() + " | " + e.getMessage());
                }
                System.out.println("then " + pool.invoke(ContractTasks.INC, 1L));
            }
        }

        static int takeAll() {
            List<byte[]> all = new ArrayList<>();
            for (int i = 0; i < 1_500; i++) {
                byte[] bytes = new byte[1 << 20];
                for (int at = 0; at < bytes.length; at += 4096) {
                    bytes[at] = 1;
                }
                all.add(bytes);
            }
            return all.size();
        }
    }

    @Test
    void groupOutOfMemory_workerIsKilled_theKernelIsNamed() throws Exception {
        assumeTrue(Files.isWritable(GROUPS), "no control groups of version 1 to write to");
        Path group = GROUPS.resolve("knitting-test-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
            Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString(450L << 20));
        } catch (IOException e) {
            abort("no control group can be made: " + e);
        }
        try {
            Process host = new ProcessBuilder(
                            "sh",
                            "-c",
                            "echo $$ > " + group + "/cgroup.procs; exec \"$@\"",
                            "sh",
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Host.class.getName())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(host.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            assertThat(host.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(output)
                    .contains("MEMORY_KILLED | the kernel killed the worker for lack of memory")
                    .contains("oom_kill")
                    .contains("then 2");
        } finally {
            Watch.await("the group to empty", () -> isEmpty(group));
            Files.delete(group);
        }
    }

    private static boolean isEmpty(Path group) {
        try {
            return Files.readString(group.resolve("cgroup.procs")).isEmpty();
        } catch (IOException e) {
            return true;
        }
    }
}

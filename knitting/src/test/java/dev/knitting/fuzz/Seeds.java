package dev.knitting.fuzz;

import dev.knitting.boot.BootFuzz;
import dev.knitting.codec.ValueFuzz;
import dev.knitting.host.LaneFuzz;
import dev.knitting.memory.SegmentFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The fuzz targets and what a good input of each looks like. The main method writes these as files, for Jazzer. */
public final class Seeds {
    /** A target: takes any bytes, throws if it finds a fault. */
    record Target(Consumer<byte[]> run, List<byte[]> seeds) {}

    private Seeds() {}

    static Map<String, Target> targets() {
        return new TreeMap<>(Map.of(
                "boot.BootFuzz", new Target(BootFuzz::fuzzerTestOneInput, BootFuzz.seeds()),
                "codec.ValueFuzz", new Target(ValueFuzz::fuzzerTestOneInput, ValueFuzz.seeds()),
                "host.LaneFuzz", new Target(LaneFuzz::fuzzerTestOneInput, LaneFuzz.seeds()),
                "memory.SegmentFuzz", new Target(SegmentFuzz::fuzzerTestOneInput, SegmentFuzz.seeds())));
    }

    /** Writes each target's good inputs into a folder of its name. */
    public static void main(String[] arguments) throws IOException {
        for (Map.Entry<String, Target> target : targets().entrySet()) {
            Path folder = Files.createDirectories(Path.of(arguments[0], target.getKey()));
            int number = 0;
            for (byte[] seed : target.getValue().seeds()) {
                Files.write(folder.resolve("seed-" + number++), seed);
            }
        }
    }
}

package dev.knitting.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What Linux tells about itself in text files. Whatever is missing or forbidden, as it is on other systems and in
 * containers, is simply not known.
 *
 * @param root where the file system starts; another folder in tests
 */
record ProcFiles(Path root) {

    /** The content without surrounding white space. */
    Optional<String> text(String file) {
        try {
            return Optional.of(Files.readString(root.resolve(file)).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The rest of the line that starts with this name and a colon, or a run of blanks as in {@code limits}. */
    Optional<String> field(String file, String name) {
        return text(file).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .filter(rest -> rest.startsWith(":") || rest.startsWith(" "))
                .map(rest -> rest.substring(1).strip())
                .findFirst();
    }

    /** A size field such as {@code MemTotal: 16 kB}, in bytes. */
    OptionalLong kilobytes(String file, String name) {
        Optional<String> value = field(file, name);
        if (value.isEmpty() || !value.get().endsWith(" kB")) {
            return OptionalLong.empty();
        }
        String digits = value.get().substring(0, value.get().length() - 3).strip();
        return OptionalLong.of(Long.parseLong(digits) << 10);
    }

    /** The words of a file. */
    Optional<List<String>> words(String file) {
        return text(file).map(text -> List.of(text.split("[\\s,]+", -1)));
    }

    /** The folder of this process's control group (version 2), relative to the root. */
    Optional<String> cgroup() {
        return text("proc/self/cgroup").stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("0::"))
                .map(line -> "sys/fs/cgroup" + line.substring("0::".length()))
                .findFirst();
    }
}

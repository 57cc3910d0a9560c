package dev.knitting.launch;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The JVM options of this host that its workers need as well: modules, assertions, preview features, encodings.
 *
 * <p>Read from the kernel's copy of the command line, because loading {@code java.management} for it costs more than
 * starting a worker. Where that copy does not tell (no {@code /proc}, a launcher of its own, an argument file that is
 * gone) the management interface is asked after all. Never copied: debuggers, agents, management, dump and log files,
 * heap sizes.
 *
 * @param options options to pass on, without agents and those that grant native access
 * @param agents the host's agents but for debuggers; passed on if the pool asks for them
 * @param nativeAccess modules that the host grants native access, e.g. {@code ALL-UNNAMED}
 */
record HostArguments(List<String> options, List<String> agents, Set<String> nativeAccess) {
    private static final List<String> COPIED = List.of(
            "--add-",
            "--patch-module=",
            "--enable-preview",
            "--illegal-native-access=",
            "--sun-misc-unsafe-memory-access=",
            "--enable-final-field-mutation",
            "--illegal-final-field-mutation",
            "-ea",
            "-enableassertions",
            "-da",
            "-disableassertions",
            "-esa",
            "-enablesystemassertions",
            "-dsa",
            "-disablesystemassertions",
            "-Dfile.encoding=",
            "-Dsun.jnu.encoding=");
    private static final String NATIVE_ACCESS = "--enable-native-access=";

    /** Those of this JVM. Found once: they cannot change. */
    static HostArguments get() {
        return Holder.INSTANCE;
    }

    /** Picks from a host's options, in their order. */
    static HostArguments pick(JvmArguments all) {
        List<String> options = new ArrayList<>();
        List<String> agents = new ArrayList<>();
        Set<String> nativeAccess = new LinkedHashSet<>();
        for (String option : all.options()) {
            if (option.startsWith(NATIVE_ACCESS)) {
                nativeAccess.addAll(
                        List.of(option.substring(NATIVE_ACCESS.length()).split(",", -1)));
            } else if (isCopied(option)) {
                options.add(option);
            } else if (isAgent(option)) {
                agents.add(option);
            }
        }
        if (all.jar() != null) {
            addManifest(Path.of(all.jar()), options, nativeAccess);
        }
        return new HostArguments(List.copyOf(options), List.copyOf(agents), Set.copyOf(nativeAccess));
    }

    private static boolean isAgent(String option) {
        if (option.startsWith("-agentlib:") || option.startsWith("-agentpath:")) {
            return !option.contains("jdwp"); // two JVMs cannot listen on one port
        }
        return option.startsWith("-javaagent:");
    }

    private static boolean isCopied(String option) {
        for (String start : COPIED) {
            if (option.startsWith(start)) {
                return true;
            }
        }
        return false;
    }

    /** {@code java -jar} grants what the manifest asks for; a worker gets the same jar by its class path, which does not. */
    private static void addManifest(Path jar, List<String> options, Set<String> nativeAccess) {
        try (JarFile file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            if (manifest == null) {
                return;
            }
            Attributes attributes = manifest.getMainAttributes();
            addPackages(attributes.getValue("Add-Exports"), "--add-exports=", options);
            addPackages(attributes.getValue("Add-Opens"), "--add-opens=", options);
            String granted = attributes.getValue("Enable-Native-Access");
            if (granted != null) {
                nativeAccess.add(granted.trim());
            }
        } catch (IOException e) {
            LauncherLog.warning("manifest of the host's own jar not read: jar=" + jar, e);
        }
    }

    private static void addPackages(@Nullable String packages, String option, List<String> options) {
        if (packages != null) {
            for (String name : packages.trim().split(" +", -1)) {
                options.add(option + name + "=ALL-UNNAMED");
            }
        }
    }

    private static final class Holder {
        static final HostArguments INSTANCE = pick(find());

        private static JvmArguments find() {
            List<String> words = new ArrayList<>();
            addEnvironment("JAVA_TOOL_OPTIONS", words);
            try {
                List<String> line = commandLine();
                if (line != null) {
                    addEnvironment("JDK_JAVA_OPTIONS", words);
                    expand(line, words);
                    JvmArguments found = JvmArguments.of(words);
                    // The VM takes these after the command line, where the launcher's words end.
                    List<String> last = new ArrayList<>(found.options());
                    addEnvironment("_JAVA_OPTIONS", last);
                    return new JvmArguments(last, found.jar(), found.rest());
                }
            } catch (IOException e) {
                LauncherLog.debug("command line of the host not read, asking java.management", e);
            }
            return new JvmArguments(inputArguments(), null, null);
        }

        private static void addEnvironment(String name, List<String> words) {
            String value = System.getenv(name);
            if (value != null) {
                words.addAll(ArgumentFile.read(value));
            }
        }

        /** The words after {@code java}, or null if the host was not started by it. */
        private static @Nullable List<String> commandLine() throws IOException {
            Path line = Path.of("/proc/self/cmdline");
            if (!Files.isReadable(line)
                    || !Path.of("/proc/self/exe").toRealPath().endsWith("java")) {
                return null;
            }
            String[] words = new String(Files.readAllBytes(line), nativeCharset()).split("\0", -1);
            // The last word is followed by a NUL too.
            return List.of(words).subList(1, words.length - 1);
        }

        private static Charset nativeCharset() {
            return Charset.forName(System.getProperty("sun.jnu.encoding"), Charset.defaultCharset());
        }

        /** Replaces argument files by their content, up to the main class. */
        private static void expand(List<String> line, List<String> words) throws IOException {
            boolean files = true;
            for (String word : line) {
                if (word.equals("--disable-@files")) {
                    files = false;
                } else if (files && word.startsWith("@@")) {
                    words.add(word.substring(1));
                } else if (files && word.startsWith("@") && word.length() > 1) {
                    byte[] text = Files.readAllBytes(Path.of(word.substring(1)));
                    words.addAll(ArgumentFile.read(new String(text, nativeCharset())));
                } else {
                    words.add(word);
                }
                if (JvmArguments.of(words).rest() != null) {
                    // What follows belongs to the program, be it @something. A jar's name is still needed.
                    files = false;
                }
            }
        }

        /** By reflection: on the class path the module may be there, and nothing else here needs it. */
        private static List<String> inputArguments() {
            try {
                Object bean = Class.forName("java.lang.management.ManagementFactory")
                        .getMethod("getRuntimeMXBean")
                        .invoke(null);
                List<String> words = new ArrayList<>();
                List<?> arguments = (List<?>) Class.forName("java.lang.management.RuntimeMXBean")
                        .getMethod("getInputArguments")
                        .invoke(bean);
                for (Object argument : arguments) {
                    words.add(String.valueOf(argument));
                }
                return words;
            } catch (ReflectiveOperationException e) {
                LauncherLog.warning("JVM options of the host unknown, workers start without them", e);
                return List.of();
            }
        }
    }
}

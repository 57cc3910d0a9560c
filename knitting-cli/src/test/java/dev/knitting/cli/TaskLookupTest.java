package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which method a {@code --task} names, and what is said when it names none. */
final class TaskLookupTest {
    private static final String TASKS = Tasks.class.getName();

    @TempDir
    Path folder;

    @Test
    void find_suitableMethod_namesItByItsSignature() throws UsageException {
        TaskLookup.Found found = find("length");
        assertThat(found.kind()).isEqualTo(InputKind.BYTES);
        assertThat(found.task().target().descriptor()).isEqualTo("([B)I");
        assertThat(found.task().isOnHost()).isFalse();
    }

    @Test
    void find_voidMethod_fits() throws UsageException {
        assertThat(find("nothing").task().target().descriptor()).isEqualTo("(Ljava/nio/file/Path;)V");
    }

    @Test
    void find_onlyOneOverloadFits_takesIt() throws UsageException {
        assertThat(find("overloadedButOneFits").kind()).isEqualTo(InputKind.PATH);
    }

    @Test
    void find_severalOverloadsFit_listsThem() {
        assertThatThrownBy(() -> find("overloaded"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("ambiguous")
                .hasMessageContaining("int overloaded(Path)")
                .hasMessageContaining("int overloaded(String)");
    }

    @Test
    void find_unsuitableMethod_saysWhy() {
        assertThatThrownBy(() -> find("notStatic")).hasMessageContaining("int notStatic(Path): not static");
        assertThatThrownBy(() -> find("twoArguments")).hasMessageContaining("takes 2 parameters");
        assertThatThrownBy(() -> find("wrongType")).hasMessageContaining("takes a int");
    }

    @Test
    void find_unknownMethod_listsWhatWouldFit() {
        assertThatThrownBy(() -> find("missing"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("method=missing")
                .hasMessageContaining("String upper(String)")
                .hasMessageNotContaining("twoArguments");
    }

    @Test
    void find_unknownClass_namesIt() {
        assertThatThrownBy(() -> TaskLookup.find("a.Missing::run", getClass().getClassLoader()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("no such class: class=a.Missing");
    }

    @Test
    void find_notClassAndMethod_isRefused() {
        for (String text : List.of("", "::", "a::", "::b", "a.B", "a.B.c", "a.B#c")) {
            assertThatThrownBy(() -> TaskLookup.find(text, getClass().getClassLoader()))
                    .as(text)
                    .isInstanceOf(UsageException.class);
        }
    }

    @Test
    void find_classAndMethodInAnotherForm_saysHowToWriteIt() {
        for (String text : List.of("a.B.run", "a.B#run", "a.B.run()")) {
            assertThatThrownBy(() -> TaskLookup.find(text, getClass().getClassLoader()))
                    .hasMessageEndingWith("task=" + text + ". Did you mean a.B::run?");
        }
    }

    @Test
    void find_anyClass_doesNotInitialiseIt() throws UsageException {
        TaskLookup.find(TASKS + "$Loud::run", getClass().getClassLoader());
        assertThat(System.getProperty("knit.test.loud")).isNull();
    }

    @Test
    void find_classOfAnExtraJar_isFoundAndItsResultsAreChecked() throws Exception {
        Path jar = jarWith("Foreign", """
            public class Foreign {
                static { System.setProperty("knit.test.foreign", "initialised"); }
                public record Own(int n) {}
                public static String text(java.nio.file.Path file) { return ""; }
                public static Own own(java.nio.file.Path file) { return new Own(1); }
                public static java.util.List<? extends Own> listOfOwn(java.nio.file.Path file) { return null; }
                public static Own[] owns(java.nio.file.Path file) { return new Own[0]; }
            }
            """);
        List<Path> entries = ExtraClassPath.parse(List.of(jar.toString()));
        assertThat(ExtraClassPath.contains(entries, "Foreign")).isTrue();
        assertThat(ExtraClassPath.contains(entries, "Other")).isFalse();
        assertThat(ExtraClassPath.contains(List.of(), "Foreign")).isFalse();
        try (URLClassLoader loader = ExtraClassPath.foreignLoader(entries)) {
            assertThat(TaskLookup.find("Foreign::text", loader).kind()).isEqualTo(InputKind.PATH);
            for (String method : List.of("own", "owns", "listOfOwn")) {
                assertThatThrownBy(() -> TaskLookup.find("Foreign::" + method, loader))
                        .isInstanceOf(UsageException.class)
                        .hasMessageContaining("result's class is in --cp only");
            }
        }
        assertThat(System.getProperty("knit.test.foreign")).isNull();
    }

    @Test
    void parse_entries_areSplitAndExpanded() throws Exception {
        Path jar = jarWith("One", "public class One {}");
        assertThat(ExtraClassPath.parse(List.of(folder + File.pathSeparator + jar, folder + "/*")))
                .containsExactly(folder, jar, jar);
    }

    @Test
    void parse_badEntry_saysWhich() throws IOException {
        Path text = Files.writeString(folder.resolve("text.jar"), "no jar");
        assertThatThrownBy(() -> ExtraClassPath.parse(List.of(text.toString())))
                .hasMessageContaining("not a jar in --cp: entry=" + text);
        assertThatThrownBy(() -> ExtraClassPath.parse(List.of(folder + "/missing.jar")))
                .hasMessageContaining("no such file in --cp: entry=" + folder + "/missing.jar");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> ExtraClassPath.parse(List.of(empty + "/*"))).hasMessageContaining("no jars in --cp");
        assertThatThrownBy(() -> ExtraClassPath.parse(List.of(folder + "/missing/*")))
                .hasMessageContaining("cannot list");
    }

    private static TaskLookup.Found find(String method) throws UsageException {
        return TaskLookup.find(TASKS + "::" + method, Tasks.class.getClassLoader());
    }

    private Path jarWith(String className, String source) throws IOException {
        Path sources = Files.createDirectory(folder.resolve("src-" + className));
        Path file = Files.writeString(sources.resolve(className + ".java"), source);
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", sources.toString(), file.toString());
        assertThat(status).isZero();
        Path jar = folder.resolve(className + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                var classes = Files.newDirectoryStream(sources, "*.class")) {
            for (Path compiled : classes) {
                out.putNextEntry(new ZipEntry(compiled.getFileName().toString()));
                Files.copy(compiled, out);
            }
        }
        return jar;
    }
}

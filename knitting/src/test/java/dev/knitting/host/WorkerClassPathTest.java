package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Sandbox;
import dev.knitting.Task;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code that only workers have: the host knows an interface, or only names. */
public class WorkerClassPathTest {
    /** What the host has of the service; a copy of its class file is on the worker's path. */
    public interface Images {
        CompletableFuture<byte[]> thumbnail(byte[] image, int width);

        int count(Path directory) throws IOException;

        boolean sees(String className);

        String classPath();
    }

    private static final String IMPLEMENTATION = "com.acme.ImagesImpl";
    private static final String SOURCE = """
        package com.acme;

        import dev.knitting.host.WorkerClassPathTest;
        import java.io.IOException;
        import java.nio.file.*;
        import java.util.*;
        import java.util.concurrent.CompletableFuture;

        public final class ImagesImpl implements WorkerClassPathTest.Images {
            public CompletableFuture<byte[]> thumbnail(byte[] image, int width) {
                return CompletableFuture.supplyAsync(() -> Arrays.copyOf(image, width));
            }

            public int count(Path directory) throws IOException {
                try (var files = Files.list(directory)) {
                    return (int) files.count();
                }
            }

            public boolean sees(String className) {
                try {
                    Class.forName(className, false, getClass().getClassLoader());
                    return true;
                } catch (ClassNotFoundException e) {
                    return false;
                }
            }

            public String classPath() {
                return System.getProperty("java.class.path");
            }

            static String reverse(String text) {
                return new StringBuilder(text).reverse().toString();
            }
        }
        """;

    @TempDir
    static Path directory;

    private static Path implementation;
    private static Path service;

    @BeforeAll
    static void compile() throws IOException {
        implementation = Files.createDirectory(directory.resolve("implementation"));
        service = Files.createDirectory(directory.resolve("service"));
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///com/acme/ImagesImpl.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return SOURCE;
                    }
                };
        List<String> options =
                List.of("-d", implementation.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none");
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, options, null, List.of(source))
                .call();
        assertThat(compiled).isTrue();
        copy(Images.class);
        copy(WorkerClassPathTest.class); // the interface's outer class, which reflection may ask for
    }

    private static void copy(Class<?> type) throws IOException {
        String file = type.getName().replace('.', '/') + ".class";
        Path to = service.resolve(file);
        Files.createDirectories(to.getParent());
        try (var in = type.getClassLoader().getResourceAsStream(file)) {
            Files.copy(in, to);
        }
    }

    private static PoolBuilder builder() {
        return Pool.processes(1).jvm(jvm -> jvm.maxHeap("256m"));
    }

    @Test
    void service_implementationOnlyInTheWorker_runsThere() throws Exception {
        try (Pool pool = builder()
                .service(Images.class, IMPLEMENTATION)
                .classPath(implementation, service)
                .sandbox(Sandbox.none())
                .open()) {
            Images images = pool.service(Images.class);
            assertThat(images.thumbnail(new byte[] {1, 2, 3, 4}, 2).join()).containsExactly(1, 2);
            assertThat(images.count(directory)).isEqualTo(2);
            assertThatThrownBy(() -> images.count(directory.resolve("missing")))
                    .isExactlyInstanceOf(NoSuchFileException.class);
            assertThat(images.sees(IMPLEMENTATION)).isTrue();
            assertThat(images.sees(Pool.class.getName())).isTrue();
            assertThat(images.sees(ServiceTest.class.getName()))
                    .as("the worker's path does not hold the host's")
                    .isFalse();
        }
        assertThatThrownBy(() -> Class.forName(IMPLEMENTATION)).isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void named_onAReplacedPath_runsThere() {
        Task<String, String> reverse = Task.named(IMPLEMENTATION, "reverse", String.class, String.class);
        try (Pool pool = builder()
                .classPath(implementation)
                .addClassPath(service)
                .sandbox(Sandbox.none())
                .open(reverse)) {
            assertThat(pool.invoke(reverse, "abc")).isEqualTo("cba");
        }
    }

    @Test
    void added_toTheHostsPath_leavesThatInPlace() {
        try (Pool pool = builder()
                .service(Images.class, IMPLEMENTATION)
                .addClassPath(implementation)
                .open()) {
            assertThat(pool.service(Images.class).sees(ServiceTest.class.getName()))
                    .isTrue();
        }
    }

    @Test
    void hostsTask_onAReplacedPath_isNotFound() {
        try (Pool pool =
                builder().classPath(implementation).sandbox(Sandbox.none()).open()) {
            assertThatThrownBy(() -> pool.invoke(ContractTasks.INC, 1L))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND))
                    .hasMessageContaining(ContractTasks.class.getName());
        }
    }

    @Test
    void registered_notOnTheReplacedPath_failsOpenByName() {
        refused(
                builder().classPath(implementation).sandbox(Sandbox.none()).register(ServiceApi.Doc.class),
                ErrorCode.STARTUP_FAILED,
                ServiceApi.Doc.class.getName(),
                "option=register");
    }

    @Test
    void service_interfaceNotOnTheReplacedPath_failsOpenByName() {
        refused(
                builder()
                        .service(ServiceApi.Small.class, ServiceApi.SmallWorker.class.getName())
                        .classPath(implementation)
                        .sandbox(Sandbox.none()),
                ErrorCode.TASK_NOT_FOUND,
                ServiceApi.Small.class.getName());
    }

    // ---- options

    @Test
    void classPath_withoutAStatedSandbox_isRefusedAtOpen() {
        refused(builder().classPath(implementation), ErrorCode.BAD_OPTION, "option=sandbox", implementation.toString());
    }

    @Test
    void classPath_ofThreads_isRefused() {
        refused(
                Pool.threads(1).classPath(implementation).sandbox(Sandbox.none()),
                ErrorCode.BAD_OPTION,
                "isolation=THREADS",
                "classPath=");
    }

    @Test
    void classPath_missingEntry_isRefusedByName() {
        Path missing = directory.resolve("missing.jar");
        refused(
                builder().classPath(missing).sandbox(Sandbox.none()),
                ErrorCode.BAD_OPTION,
                "option=classPath",
                "missing=" + missing);
    }

    private static void refused(PoolBuilder builder, ErrorCode code, String... texts) {
        assertThatThrownBy(() -> builder.open().close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(texts);
    }
}

package app;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Starts the application from a loader of its own, as servers and tools do. */
public final class Loading {
    /** Reads classes from a folder by itself: nobody can tell where they come from. */
    private static final class Opaque extends ClassLoader {
        private final Path folder;

        Opaque(Path folder, ClassLoader parent) {
            super("opaque", parent);
            this.folder = folder;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
                byte[] bytes = Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class"));
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** Arguments: kind of loader, then paths. */
    public static void main(String[] arguments) throws Exception {
        URL[] urls = new URL[arguments.length - 1];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = Path.of(arguments[i + 1]).toUri().toURL();
        }
        ClassLoader loader = switch (arguments[0]) {
            case "urls" -> new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
            case "chain" ->
                new URLClassLoader(
                        Arrays.copyOfRange(urls, 0, 1),
                        new URLClassLoader(
                                Arrays.copyOfRange(urls, 1, urls.length), ClassLoader.getPlatformClassLoader()));
            case "remote" ->
                new URLClassLoader(
                        new URL[] {
                            urls[0],
                            urls[1],
                            java.net.URI.create("http://127.0.0.1:1/code.jar").toURL()
                        },
                        ClassLoader.getPlatformClassLoader());
            case "opaque" ->
                new Opaque(
                        Path.of(arguments[1]),
                        new URLClassLoader(
                                Arrays.copyOfRange(urls, 1, urls.length), ClassLoader.getPlatformClassLoader()));
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        Thread.currentThread().setContextClassLoader(loader);
        loader.loadClass("app.App").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}

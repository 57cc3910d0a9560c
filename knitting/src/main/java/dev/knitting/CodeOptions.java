package dev.knitting;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What runs in a pool's workers beside tasks, and what it may do.
 *
 * @param services interfaces and, for each, the binary name of the class that workers make one object of
 * @param classPath in place of the host's own class path, or null for that one
 * @param sandbox what the code may do, or null if nothing was stated: unrestricted
 * @param bootstrap runs in each worker before everything else, or null
 * @param context moves a context with each call, or null
 */
public record CodeOptions(
        Map<Class<?>, String> services,
        @Nullable List<Path> classPath,
        @Nullable Sandbox sandbox,
        @Nullable Bootstrap bootstrap,
        @Nullable Class<? extends ContextCarrier> context) {

    static final CodeOptions DEFAULTS = new CodeOptions(Map.of(), null, null, null, null);

    /**
     * A task that runs once in each worker.
     *
     * @param task what runs
     * @param argument its argument; null if it takes none
     */
    public record Bootstrap(Task<?, ?> task, @Nullable Object argument) {}

    /** Whether the workers run in a sandbox that restricts them. */
    public boolean isRestricted() {
        return sandbox != null && sandbox.restricts();
    }

    /** Copies the collections, in their order. */
    public CodeOptions {
        services = Collections.unmodifiableMap(new LinkedHashMap<>(services));
        classPath = classPath == null ? null : List.copyOf(classPath);
    }

    CodeOptions withService(Class<?> type, String implementation) {
        Map<Class<?>, String> all = new LinkedHashMap<>(services);
        all.put(type, implementation);
        return new CodeOptions(all, classPath, sandbox, bootstrap, context);
    }

    CodeOptions withClassPath(List<Path> entries) {
        return new CodeOptions(services, entries, sandbox, bootstrap, context);
    }

    CodeOptions withSandbox(Sandbox stated) {
        return new CodeOptions(services, classPath, stated, bootstrap, context);
    }

    CodeOptions withBootstrap(Bootstrap hook) {
        return new CodeOptions(services, classPath, sandbox, hook, context);
    }

    CodeOptions withContext(Class<? extends ContextCarrier> carrier) {
        return new CodeOptions(services, classPath, sandbox, bootstrap, carrier);
    }
}

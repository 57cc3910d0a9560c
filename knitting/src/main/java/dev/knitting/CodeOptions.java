package dev.knitting;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What runs in a pool's workers beside tasks.
 *
 * @param services interfaces and, for each, the binary name of the class that workers make one object of
 */
public record CodeOptions(Map<Class<?>, String> services) {
    static final CodeOptions DEFAULTS = new CodeOptions(Map.of());

    /** Copies the collections, in their order. */
    public CodeOptions {
        services = Collections.unmodifiableMap(new LinkedHashMap<>(services));
    }

    CodeOptions withService(Class<?> type, String implementation) {
        Map<Class<?>, String> all = new LinkedHashMap<>(services);
        all.put(type, implementation);
        return new CodeOptions(all);
    }
}

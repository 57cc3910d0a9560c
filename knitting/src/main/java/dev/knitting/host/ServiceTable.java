package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The services of one pool: their methods are announced when it opens. Immutable afterwards; any thread. */
final class ServiceTable {
    private final Map<Class<?>, Object> proxies = new HashMap<>();

    /** How many tasks the methods of these services are. */
    static int countTasks(Map<Class<?>, String> services) {
        int count = 0;
        for (Class<?> service : services.keySet()) {
            count += ServiceMethods.of(service).calls().size();
        }
        return count;
    }

    /** Announces all methods; the entries of each, for the constructor. */
    static Map<Class<?>, Map<Method, TaskEntry>> announce(Map<Class<?>, String> services, TaskCatalog catalog) {
        Map<Class<?>, Map<Method, TaskEntry>> all = new LinkedHashMap<>();
        services.forEach((service, implementation) -> {
            Map<Method, TaskEntry> entries = new HashMap<>();
            for (Method method : ServiceMethods.of(service).calls()) {
                entries.put(method, catalog.serviceEntry(service, method, implementation));
            }
            all.put(service, entries);
        });
        return all;
    }

    /** Stand-ins for the announced services, which call this pool. */
    ServiceTable(Map<Class<?>, Map<Method, TaskEntry>> announced, ServiceCaller pool, String name) {
        announced.forEach((service, entries) ->
                proxies.put(service, ServiceProxy.create(service, ServiceMethods.of(service), entries, pool, name)));
    }

    /**
     * The stand-in of a service.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the pool has no such service
     */
    <S> S get(Class<S> service, String pool) {
        Object proxy = proxies.get(service);
        if (proxy == null) {
            throw KnittingException.of(
                    ErrorCode.BAD_TASK,
                    "the pool has no such service",
                    "service",
                    service.getName(),
                    "pool",
                    pool,
                    "option",
                    "service");
        }
        return service.cast(proxy);
    }
}

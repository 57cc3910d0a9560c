package dev.knitting.host;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which methods of a service's interface are calls: all but static ones and those that every object has. What the
 * compiler added, or what a more specific method in an interface below replaced, is the same call as that method.
 */
final class ServiceMethods {
    private final List<Method> calls = new ArrayList<>();
    private final Map<Method, Method> same = new HashMap<>();

    private ServiceMethods() {}

    static ServiceMethods of(Class<?> service) {
        ServiceMethods methods = new ServiceMethods();
        List<Method> all = Arrays.stream(service.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !isOfObject(method))
                .toList();
        for (Method method : all) {
            Method best = mostSpecific(method, all);
            if (best.equals(method)) {
                methods.calls.add(method);
            }
            methods.same.put(method, best);
        }
        return methods;
    }

    private static boolean isOfObject(Method method) {
        try {
            Object.class.getMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private static Method mostSpecific(Method method, List<Method> all) {
        List<Method> candidates =
                all.stream().filter(candidate -> replaces(candidate, method)).toList();
        if (method.isBridge() && candidates.size() > 1) {
            return method; // which overload it leads to is known to the implementation only
        }
        Method best = method;
        for (Method candidate : candidates) {
            if (best.equals(method) || best.getReturnType().isAssignableFrom(candidate.getReturnType())) {
                best = candidate;
            }
        }
        return best;
    }

    /** Whether who calls {@code general} gets {@code special}. */
    private static boolean replaces(Method special, Method general) {
        if (special.isBridge()
                || !special.getName().equals(general.getName())
                || special.getParameterCount() != general.getParameterCount()
                || !general.getReturnType().isAssignableFrom(special.getReturnType())
                || (!general.isBridge() && special.getReturnType() == general.getReturnType())) {
            return false;
        }
        Class<?>[] types = special.getParameterTypes();
        Class<?>[] generals = general.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (general.isBridge() ? !generals[i].isAssignableFrom(types[i]) : generals[i] != types[i]) {
                return false;
            }
        }
        return true;
    }

    /** The methods that are calls, in no particular order. */
    List<Method> calls() {
        return calls;
    }

    /** Every method that is a call, with the one that stands for it. */
    Map<Method, Method> all() {
        return same;
    }
}

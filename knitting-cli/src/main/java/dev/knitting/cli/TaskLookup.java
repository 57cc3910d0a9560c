package dev.knitting.cli;

import dev.knitting.Task;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the method that {@code --task CLASS::METHOD} means, by its signature only: the class is loaded but never
 * initialised, so none of its code runs in the host.
 */
final class TaskLookup {
    /** How people write it who have not read on: {@code a.B.method}, {@code a.B#method}. */
    private static final Pattern OTHER_FORM = Pattern.compile("(\\w[\\w.$]*)[.#](\\w+)(?:\\(\\))?");

    private static final int MAX_LISTED = 12;

    private TaskLookup() {}

    /**
     * What {@code map} runs.
     *
     * @param task the named method
     * @param kind what it takes
     * @param elementTypes classes that only the generic part of the result's type shows, as in {@code List<Row>}
     */
    record Found(Task<Object, Object> task, InputKind kind, Set<Class<?>> elementTypes) {}

    /**
     * The class that a text names.
     *
     * @param text {@code CLASS::METHOD}
     * @throws UsageException if it is not of that form
     */
    static String className(String text) throws UsageException {
        return text.substring(0, separator(text));
    }

    private static int separator(String text) throws UsageException {
        int separator = text.indexOf("::");
        if (separator <= 0 || separator + 2 >= text.length()) {
            Matcher other = OTHER_FORM.matcher(text);
            throw new UsageException("not CLASS::METHOD: task=" + text
                    + (other.matches() ? ". Did you mean " + other.group(1) + "::" + other.group(2) + "?" : ""));
        }
        return separator;
    }

    /**
     * Looks at the class.
     *
     * @param text {@code CLASS::METHOD}, the class by its binary name ({@code a.B$C} for a nested one)
     * @param loader sees the class
     * @throws UsageException if the text does not name exactly one suitable method
     */
    static Found find(String text, ClassLoader loader) throws UsageException {
        int separator = separator(text);
        String className = text.substring(0, separator);
        String methodName = text.substring(separator + 2);
        Method[] methods = methodsOf(className, loader);
        Method method = choose(className, methodName, methods);
        Set<Class<?>> elementTypes = new LinkedHashSet<>();
        collect(method.getGenericReturnType(), elementTypes);
        for (Class<?> type : elementTypes) {
            checkResult(method, type);
        }
        elementTypes.remove(method.getReturnType());
        InputKind kind = kindOf(method);
        if (kind == null) {
            throw new IllegalStateException("chosen although unsuitable: method=" + method);
        }
        return new Found(
                Task.named(className, methodName, kind.parameterType(), method.getReturnType()), kind, elementTypes);
    }

    private static Method[] methodsOf(String className, ClassLoader loader) throws UsageException {
        try {
            return Class.forName(className, false, loader).getDeclaredMethods();
        } catch (ClassNotFoundException e) {
            throw new UsageException("no such class: class=" + className
                    + ". Is its jar in --cp? Nested classes are written Outer$Inner.");
        } catch (LinkageError e) {
            throw new UsageException("the class cannot be linked: class=" + className + ", reason=" + e
                    + ". Are all jars that it needs in --cp?");
        }
    }

    private static Method choose(String className, String methodName, Method[] methods) throws UsageException {
        List<Method> named = Arrays.stream(methods)
                .filter(method -> method.getName().equals(methodName) && !method.isSynthetic())
                .sorted(Comparator.comparing(TaskLookup::signature))
                .toList();
        List<Method> suitable =
                named.stream().filter(method -> obstacle(method) == null).toList();
        if (suitable.size() == 1) {
            return suitable.getFirst();
        }
        if (suitable.size() > 1) {
            throw new UsageException("ambiguous, several methods fit: task=" + className + "::" + methodName
                    + list(suitable.stream().map(TaskLookup::signature).toList()));
        }
        if (!named.isEmpty()) {
            throw new UsageException("the method does not fit, it must be static and take one Path, String or byte[]: "
                    + "task=" + className + "::" + methodName
                    + list(named.stream()
                            .map(method -> signature(method) + ": " + obstacle(method))
                            .toList()));
        }
        throw new UsageException("no such method: class=" + className + ", method=" + methodName + candidates(methods));
    }

    private static String candidates(Method[] methods) {
        List<String> fitting = Arrays.stream(methods)
                .filter(method -> !method.isSynthetic() && obstacle(method) == null)
                .map(TaskLookup::signature)
                .sorted()
                .toList();
        return fitting.isEmpty()
                ? ". The class has no static method that takes one Path, String or byte[]."
                : ". These would fit:" + list(fitting);
    }

    /** Why a method cannot be a task, or null if it can. */
    private static @Nullable String obstacle(Method method) {
        if (!Modifier.isStatic(method.getModifiers())) {
            return "not static";
        }
        if (method.getParameterCount() != 1) {
            return "takes " + method.getParameterCount() + " parameters";
        }
        if (kindOf(method) == null) {
            return "takes a " + method.getParameterTypes()[0].getTypeName();
        }
        return null;
    }

    private static @Nullable InputKind kindOf(Method method) {
        return InputKind.of(method.getParameterTypes()[0]);
    }

    /** All classes that a type mentions, arrays by what they hold. */
    private static void collect(Type type, Set<Class<?>> classes) {
        switch (type) {
            case Class<?> known when known.isArray() -> collect(known.getComponentType(), classes);
            case Class<?> known when known.isPrimitive() -> {}
            case Class<?> known -> classes.add(known);
            case ParameterizedType parameterized -> {
                collect(parameterized.getRawType(), classes);
                for (Type argument : parameterized.getActualTypeArguments()) {
                    collect(argument, classes);
                }
            }
            case GenericArrayType array -> collect(array.getGenericComponentType(), classes);
            case WildcardType wildcard -> collect(wildcard.getUpperBounds()[0], classes);
            // A type variable says no more than its bound, and the bound may mention the variable.
            default -> {}
        }
    }

    /** A result is decoded in the host, which has the JDK's classes and its own, and runs none from {@code --cp}. */
    private static void checkResult(Method method, Class<?> type) throws UsageException {
        ClassLoader loader = type.getClassLoader();
        if (loader != null
                && !loader.equals(ClassLoader.getPlatformClassLoader())
                && !loader.equals(TaskLookup.class.getClassLoader())) {
            throw new UsageException(
                    "the result's class is in --cp only, and the host loads no code from there: method="
                            + signature(method) + ", class=" + type.getName()
                            + ". Return text, a number, a list, a map or another type of the JDK.");
        }
    }

    private static String signature(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(
                        ", ", method.getReturnType().getSimpleName() + " " + method.getName() + "(", ")"));
    }

    private static String list(List<String> lines) {
        List<String> shown = new ArrayList<>(lines.subList(0, Math.min(MAX_LISTED, lines.size())));
        if (lines.size() > MAX_LISTED) {
            shown.add("... and " + (lines.size() - MAX_LISTED) + " more");
        }
        return shown.stream().collect(Collectors.joining("\n  ", "\n  ", ""));
    }
}

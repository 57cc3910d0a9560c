package dev.knitting.boot;

import dev.knitting.ErrorCode;
import dev.knitting.FunctionObject;
import dev.knitting.KnittingException;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The method behind a {@link TaskTarget}: its signature, which host and worker look at alike, and its handle, which only
 * a worker makes. Looking at the signature loads the class without initialising it.
 */
public final class TaskMethod {
    private final TaskTarget target;
    private final Class<?> owner;
    private final Executable executable;

    private TaskMethod(TaskTarget target, Class<?> owner, Executable executable) {
        this.target = target;
        this.owner = owner;
        this.executable = executable;
    }

    /**
     * Finds the method.
     *
     * @param loader where the class is looked for
     * @throws KnittingException {@link ErrorCode#TASK_NOT_FOUND} naming what is missing
     */
    public static TaskMethod find(TaskTarget target, @Nullable ClassLoader loader) {
        Class<?> owner;
        try {
            owner = Class.forName(target.className(), false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw notFound("no such class", target, e);
        }
        try {
            MethodType type = MethodType.fromMethodDescriptorString(target.descriptor(), loader);
            Executable executable = target.kind() == TaskTarget.Kind.CONSTRUCTOR
                    ? owner.getDeclaredConstructor(type.parameterArray())
                    : findMethod(owner, target.methodName(), type);
            boolean isStatic = Modifier.isStatic(executable.getModifiers());
            if (target.kind() == TaskTarget.Kind.SERVICE && !owner.isInterface()) {
                throw notFound("a service is no interface here", target, null);
            }
            if (isStatic != (target.kind() == TaskTarget.Kind.STATIC)) {
                throw notFound(isStatic ? "the method is static" : "the method is not static", target, null);
            }
            return new TaskMethod(target, owner, executable);
        } catch (NoSuchMethodException | TypeNotPresentException | LinkageError | IllegalArgumentException e) {
            throw notFound("no such method", target, e);
        }
    }

    private static Method findMethod(Class<?> owner, String name, MethodType type) throws NoSuchMethodException {
        if (owner.isInterface()) {
            return findInterfaceMethod(owner, name, type);
        }
        NoSuchMethodException first = null;
        for (Class<?> at = owner; at != null; at = at.getSuperclass()) {
            try {
                Method method = at.getDeclaredMethod(name, type.parameterArray());
                if (method.getReturnType() == type.returnType()) {
                    return method;
                }
                throw new NoSuchMethodException(
                        name + " returns " + method.getReturnType().getName());
            } catch (NoSuchMethodException e) {
                first = first == null ? e : first;
            }
        }
        throw first == null ? new NoSuchMethodException(name) : first;
    }

    private static Method findInterfaceMethod(Class<?> owner, String name, MethodType type)
            throws NoSuchMethodException {
        for (Method method : owner.getDeclaredMethods()) {
            if (fits(method, name, type)) {
                return method; // a static one may be private
            }
        }
        for (Method method : owner.getMethods()) {
            if (fits(method, name, type)) {
                return method;
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static boolean fits(Method method, String name, MethodType type) {
        return method.getName().equals(name)
                && method.getReturnType() == type.returnType()
                && Arrays.equals(method.getParameterTypes(), type.parameterArray());
    }

    /** Sees private members where the class's module lets this one in, else what is public. */
    private MethodHandles.Lookup lookup() {
        // The application's module reads this one and not the other way round; a lookup needs both.
        TaskMethod.class.getModule().addReads(owner.getModule());
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            return MethodHandles.publicLookup();
        }
    }

    private static KnittingException notFound(String what, TaskTarget target, @Nullable Throwable cause) {
        return new KnittingException(
                ErrorCode.TASK_NOT_FOUND,
                KnittingException.message(
                        what,
                        "class",
                        target.className(),
                        "method",
                        target.methodName(),
                        "descriptor",
                        target.descriptor()),
                cause);
    }

    /**
     * The types that the signature shows: receiver or parameters, result, declared exceptions.
     *
     * @param form of an action the result does not cross, of an async task what its stage holds does
     */
    public List<Type> roots(Task.Form form) {
        if (target.kind() == TaskTarget.Kind.SERVICE) {
            return ServiceSignature.roots(owner, (Method) executable);
        }
        List<Type> roots = new ArrayList<>();
        if (target.kind() == TaskTarget.Kind.INSTANCE) {
            roots.add(owner);
        }
        for (Type parameter : executable.getGenericParameterTypes()) {
            roots.add(parameter);
        }
        Type result = executable instanceof Method method ? method.getGenericReturnType() : owner;
        if (form == Task.Form.ASYNC) {
            result = StageType.held(result);
        }
        if (form != Task.Form.ACTION && result != null) {
            roots.add(result);
        }
        for (Class<?> exception : executable.getExceptionTypes()) {
            roots.add(exception);
        }
        return roots;
    }

    /** Of a lambda's method: the types of the variables that it captured. */
    public List<Type> captured() {
        List<Type> captured = new ArrayList<>();
        if (target.kind() == TaskTarget.Kind.INSTANCE) {
            captured.add(owner);
        }
        captured.addAll(List.of(executable.getGenericParameterTypes()));
        return captured;
    }

    /**
     * The types that a descriptor shows, without looking at the class that has the method.
     *
     * @throws KnittingException {@link ErrorCode#TASK_NOT_FOUND} if one of them cannot be loaded
     */
    public static List<Type> rootsOfDescriptor(TaskTarget target, @Nullable ClassLoader loader) {
        try {
            MethodType type = MethodType.fromMethodDescriptorString(target.descriptor(), loader);
            List<Type> roots = new ArrayList<>(type.parameterList());
            roots.add(type.returnType());
            return roots;
        } catch (TypeNotPresentException | IllegalArgumentException e) {
            throw notFound("no such type", target, e);
        }
    }

    /** What the target's descriptor says that it returns; null of a constructor, or if there is no such type. */
    public static @Nullable Class<?> resultOf(TaskTarget target, @Nullable ClassLoader loader) {
        if (target.kind() == TaskTarget.Kind.CONSTRUCTOR) {
            return null;
        }
        try {
            return MethodType.fromMethodDescriptorString(target.descriptor(), loader)
                    .returnType();
        } catch (TypeNotPresentException | IllegalArgumentException e) {
            return null;
        }
    }

    /** How a method of a service gives its result. */
    public static Task.Form formOfService(Method method) {
        return ServiceSignature.isAsync(method) ? Task.Form.ASYNC : Task.Form.VALUE;
    }

    /** How many values a call needs, the receiver included. */
    public int arity() {
        return executable.getParameterCount() + (target.kind() == TaskTarget.Kind.INSTANCE ? 1 : 0);
    }

    /**
     * The method, ready to be called.
     *
     * @param spread whether it is called with an {@code Object[]} of values, rather than with one value
     * @param form of an action the result is dropped
     * @throws KnittingException {@link ErrorCode#TASK_NOT_FOUND} if the class does not let this module in
     */
    public TaskBody body(boolean spread, Task.Form form) {
        TaskBody body = body(spread, target.kind() == TaskTarget.Kind.FUNCTION ? functionObject() : null);
        boolean hasResult = !(executable instanceof Method method) || method.getReturnType() != void.class;
        return form == Task.Form.ACTION && hasResult ? new DroppingBody(body) : body;
    }

    /**
     * The method of a service, ready to be called on the worker's implementation.
     *
     * @param objects the worker's
     * @param implementation name of the implementation's class
     * @param loader where it is looked for
     * @param spread whether it is called with an {@code Object[]} of values, rather than with at most one value
     * @throws KnittingException {@link ErrorCode#TASK_NOT_FOUND} if the interface does not let this module in; as {@link
     *     ServiceObjects#get}
     */
    public TaskBody serviceBody(
            ServiceObjects objects, String implementation, @Nullable ClassLoader loader, boolean spread) {
        return body(spread, objects.get(implementation, owner, loader));
    }

    private Object functionObject() {
        try {
            return FunctionObject.make(owner);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw notFound("the function object cannot be made", target, e);
        }
    }

    private TaskBody body(boolean spread, @Nullable Object receiver) {
        MethodHandles.Lookup lookup = lookup();
        if (lookup.hasFullPrivilegeAccess()) {
            try {
                return generated(lookup, spread, receiver);
            } catch (IllegalAccessException | IOException | LinkageError | IllegalArgumentException e) {
                return new HandleBody(handle(lookup, spread, receiver), spread); // slower, and says what is wrong
            }
        }
        return new HandleBody(handle(lookup, spread, receiver), spread);
    }

    @SuppressWarnings("unchecked") // the generated class implements it
    private TaskBody generated(MethodHandles.Lookup lookup, boolean spread, @Nullable Object receiver)
            throws IllegalAccessException, IOException {
        byte[] bytes = BodyAssembler.assemble(owner, executable, spread, receiver != null);
        MethodHandles.Lookup made = lookup.defineHiddenClass(bytes, true, MethodHandles.Lookup.ClassOption.NESTMATE);
        try {
            MethodHandle constructor = made.findConstructor(
                    made.lookupClass(),
                    receiver == null
                            ? MethodType.methodType(void.class)
                            : MethodType.methodType(void.class, Object.class));
            return new FunctionBody((Function<Object, Object>)
                    (receiver == null ? constructor.invoke() : constructor.invoke(receiver)));
        } catch (Throwable e) { // the declared type of MethodHandle.invoke; the constructor does nothing
            throw new IllegalArgumentException(e);
        }
    }

    private MethodHandle handle(MethodHandles.Lookup lookup, boolean spread, @Nullable Object receiver) {
        try {
            MethodHandle handle = executable instanceof Constructor<?> constructor
                    ? lookup.unreflectConstructor(constructor)
                    : lookup.unreflect((Method) executable);
            handle = handle.asFixedArity();
            if (receiver != null) {
                handle = handle.bindTo(receiver);
            }
            if (spread) {
                return handle.asSpreader(Object[].class, handle.type().parameterCount())
                        .asType(MethodType.methodType(Object.class, Object[].class));
            }
            if (handle.type().parameterCount() == 0) {
                handle = MethodHandles.dropArguments(handle, 0, Object.class);
            }
            return handle.asType(MethodType.methodType(Object.class, Object.class));
        } catch (IllegalAccessException e) {
            throw notFound("the method is not accessible to dev.knitting", target, e);
        }
    }
}

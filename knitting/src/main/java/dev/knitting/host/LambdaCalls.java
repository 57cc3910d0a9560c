package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.FunctionObject;
import dev.knitting.KnittingException;
import dev.knitting.LambdaTarget;
import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lambda apart: its method, and the values that it captured. What is the same for all lambdas of one class is
 * found once; after that a call costs one call of the lambda's {@code writeReplace}.
 */
final class LambdaCalls {
    /**
     * @param target the lambda's method
     *
     * @param captured the values it captured
     */
    record Parts(TaskTarget target, @Nullable Object[] captured) {}

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return Shape.of(type);
        }
    };

    private LambdaCalls() {}

    static Parts takeApart(Task.Source<?> lambda) {
        Shape shape = SHAPES.get(lambda.getClass());
        if (shape.function != null) {
            return new Parts(shape.function, new @Nullable Object[0]);
        }
        SerializedLambda form = shape.form(lambda);
        @Nullable Object[] captured = new @Nullable Object[form.getCapturedArgCount()];
        for (int i = 0; i < captured.length; i++) {
            captured[i] = form.getCapturedArg(i);
        }
        return new Parts(shape.target(form), captured);
    }

    /**
     * A failure of the call, such as too many tasks.
     *
     * @throws KnittingException the failure itself, if the lambda is at fault: that is the caller's error
     */
    static KnittingException unlessBadLambda(KnittingException failure) {
        if (failure.code() == ErrorCode.BAD_TASK) {
            throw failure;
        }
        return failure;
    }

    /** The failure of a lambda that captured what cannot leave the host. */
    static KnittingException badCapture(TaskTarget target, String captured, @Nullable Throwable cause) {
        return new KnittingException(
                ErrorCode.BAD_TASK,
                KnittingException.message(
                        "the lambda captured what cannot cross",
                        "captured",
                        captured,
                        "line",
                        callersLine(),
                        "lambda",
                        target.className() + "::" + target.methodName(),
                        "remedy",
                        "copy what it needs into a local variable of a type that crosses"),
                cause);
    }

    /** Where the code that called the pool, or its executor, stands. */
    private static String callersLine() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.dropWhile(frame -> !isDoor(frame.getDeclaringClass()))
                        .dropWhile(frame -> isDoor(frame.getDeclaringClass()))
                        .findFirst()
                        .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                        .orElse("unknown"));
    }

    private static boolean isDoor(Class<?> type) {
        return Pool.class.isAssignableFrom(type) || ExecutorService.class.isAssignableFrom(type);
    }

    private static final class Shape {
        private final @Nullable MethodHandle writeReplace;
        /** Of a class whose objects have no state; null for lambdas. */
        private final @Nullable TaskTarget function;

        private volatile @Nullable TaskTarget target;

        private Shape(@Nullable MethodHandle writeReplace, @Nullable TaskTarget function) {
            this.writeReplace = writeReplace;
            this.function = function;
        }

        static Shape of(Class<?> type) {
            if (FunctionObject.isOne(type)) {
                return new Shape(null, FunctionObject.target(type));
            }
            try {
                Method method = type.getDeclaredMethod("writeReplace");
                method.setAccessible(true);
                return new Shape(
                        MethodHandles.lookup()
                                .unreflect(method)
                                .asType(MethodType.methodType(Object.class, Object.class)),
                        null);
            } catch (NoSuchMethodException | IllegalAccessException | InaccessibleObjectException e) {
                return new Shape(null, null); // not open to this module: by way of a stream, more slowly
            }
        }

        SerializedLambda form(Task.Source<?> lambda) {
            MethodHandle replace = writeReplace;
            if (replace != null) {
                try {
                    if ((Object) replace.invokeExact((Object) lambda) instanceof SerializedLambda form) {
                        return form;
                    }
                } catch (Throwable e) {
                    return LambdaTarget.serializedForm(lambda); // fails in the same way, and says so
                }
            }
            return LambdaTarget.serializedForm(lambda);
        }

        TaskTarget target(SerializedLambda form) {
            TaskTarget known = target;
            if (known == null) {
                known = LambdaTarget.target(form);
                target = known;
            }
            return known;
        }
    }
}

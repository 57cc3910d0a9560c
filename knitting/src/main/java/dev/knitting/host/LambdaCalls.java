package dev.knitting.host;

import dev.knitting.LambdaTarget;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
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
        SerializedLambda form = shape.form(lambda);
        @Nullable Object[] captured = new @Nullable Object[form.getCapturedArgCount()];
        for (int i = 0; i < captured.length; i++) {
            captured[i] = form.getCapturedArg(i);
        }
        return new Parts(shape.target(form), captured);
    }

    private static final class Shape {
        private final @Nullable MethodHandle writeReplace;
        private volatile @Nullable TaskTarget target;

        private Shape(@Nullable MethodHandle writeReplace) {
            this.writeReplace = writeReplace;
        }

        static Shape of(Class<?> type) {
            try {
                Method method = type.getDeclaredMethod("writeReplace");
                method.setAccessible(true);
                return new Shape(MethodHandles.lookup()
                        .unreflect(method)
                        .asType(MethodType.methodType(Object.class, Object.class)));
            } catch (NoSuchMethodException | IllegalAccessException | InaccessibleObjectException e) {
                return new Shape(null); // not open to this module: by way of a stream, more slowly
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

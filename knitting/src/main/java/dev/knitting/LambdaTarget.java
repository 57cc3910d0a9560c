package dev.knitting;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import org.jspecify.annotations.Nullable;

/**
 * Finds the method behind a lambda or a method reference. Serialization is the only way that needs no access to the
 * lambda's class: the stream calls {@code writeReplace}, this class looks at the {@link SerializedLambda} that comes
 * out, and nothing is written.
 */
public final class LambdaTarget {
    private LambdaTarget() {}

    /**
     * Refuses a lambda that captured something, and what is no lambda. Cheap for one that is all right: its class is
     * hidden and has no fields.
     */
    static void requireNoCaptures(Serializable lambda) {
        if (lambda.getClass().isHidden() && lambda.getClass().getDeclaredFields().length == 0) {
            return;
        }
        SerializedLambda form = find(lambda);
        if (form == null) {
            FunctionObject.target(lambda.getClass()); // refuses what is none
        } else if (form.getCapturedArgCount() != 0) {
            Object captured = form.getCapturedArg(0);
            throw KnittingException.of(
                    ErrorCode.BAD_TASK,
                    "a task must not capture anything",
                    "captured",
                    captured == null ? "null" : captured.getClass().getName(),
                    "method",
                    form.getImplClass().replace('/', '.') + "::" + form.getImplMethodName(),
                    "remedy",
                    "pass it as the argument, or submit the lambda itself");
        }
    }

    /**
     * The method that a lambda, a method reference or a function object without state stands for.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the object is none of these
     */
    public static TaskTarget targetOf(Serializable function) {
        SerializedLambda form = find(function);
        return form == null ? FunctionObject.target(function.getClass()) : target(form);
    }

    /**
     * The form that a serializable lambda or method reference writes.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the object is no lambda or method reference
     */
    public static SerializedLambda serializedForm(Serializable lambda) {
        SerializedLambda found = find(lambda);
        if (found == null) {
            throw notALambda(lambda.getClass(), "captured values or fields", null);
        }
        return found;
    }

    private static @Nullable SerializedLambda find(Serializable lambda) {
        try {
            Finder finder = new Finder();
            finder.writeObject(lambda);
            return finder.found;
        } catch (IOException e) {
            throw notALambda(lambda.getClass(), "writeReplace", e);
        }
    }

    static KnittingException notALambda(Class<?> type, String reason, @Nullable Throwable cause) {
        return new KnittingException(
                ErrorCode.BAD_TASK,
                KnittingException.message(
                        "not a lambda, method reference or function object without state",
                        "class",
                        type.getName(),
                        "reason",
                        reason,
                        "remedy",
                        "Task.named"),
                cause);
    }

    /**
     * The method that a lambda's form names.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if it is of a kind that a worker cannot call
     */
    public static TaskTarget target(SerializedLambda form) {
        TaskTarget.Kind kind = switch (form.getImplMethodKind()) {
            case MethodHandleInfo.REF_invokeStatic -> TaskTarget.Kind.STATIC;
            case MethodHandleInfo.REF_newInvokeSpecial -> TaskTarget.Kind.CONSTRUCTOR;
            case MethodHandleInfo.REF_invokeVirtual,
                    MethodHandleInfo.REF_invokeInterface,
                    MethodHandleInfo.REF_invokeSpecial -> TaskTarget.Kind.INSTANCE;
            default ->
                throw KnittingException.of(
                        ErrorCode.BAD_TASK, "unknown kind of method", "kind", form.getImplMethodKind());
        };
        return new TaskTarget(
                kind, form.getImplClass().replace('/', '.'), form.getImplMethodName(), form.getImplMethodSignature());
    }

    /** Stops at the first replaced object: a lambda's form is the first thing that it writes. */
    private static final class Finder extends ObjectOutputStream {
        @Nullable
        SerializedLambda found;

        Finder() throws IOException {
            super(OutputStream.nullOutputStream());
            enableReplaceObject(true);
        }

        @Override
        protected @Nullable Object replaceObject(Object object) {
            if (found == null && object instanceof SerializedLambda form) {
                found = form;
            }
            return null;
        }
    }
}

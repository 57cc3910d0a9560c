package dev.knitting.memory;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether this JVM may call the native functions of this package. Asking never triggers the JDK's own warning about
 * restricted methods.
 *
 * <p>Any thread may call any method.
 */
public final class NativeAccess {
    /** System property that turns native calls off when it is {@code false}. */
    public static final String PROPERTY = "knitting.native";

    private static final AtomicBoolean HINTED = new AtomicBoolean();

    private NativeAccess() {}

    /**
     * Whether native functions may be called: Linux on x86-64 or aarch64, native access granted to this module, and not
     * switched off by {@value #PROPERTY}{@code =false}. Says nothing to anybody; cheap enough for a worker's start.
     */
    public static boolean enabled() {
        return isPossible() && NativeAccess.class.getModule().isNativeAccessEnabled();
    }

    /**
     * As {@link #enabled()}. If only the permission is missing, logs one hint in this JVM (logger {@code dev.knitting},
     * level INFO) that names the flag to add. For the host: it loads the logging classes.
     */
    public static boolean enabledOrHint() {
        if (enabled()) {
            return true;
        }
        if (isPossible() && HINTED.compareAndSet(false, true)) {
            System.getLogger("dev.knitting").log(System.Logger.Level.INFO, hint());
        }
        return false;
    }

    private static String hint() {
        return "native access is not enabled, using portable memory and socket doorbells (slower): option=" + flag();
    }

    /** The flag of the java command that gives this module native access. */
    static String flag() {
        Module module = NativeAccess.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    /** The platform has the calls and the user has not switched them off. */
    private static boolean isPossible() {
        return !"false".equals(System.getProperty(PROPERTY))
                && "Linux".equals(System.getProperty("os.name"))
                && LinuxCalls.Numbers.isKnown();
    }
}

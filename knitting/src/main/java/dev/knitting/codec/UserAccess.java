package dev.knitting.codec;

import java.lang.invoke.MethodHandles;

/** The way into classes of the user. */
final class UserAccess {
    private UserAccess() {}

    /**
     * A lookup with all the rights that the class itself has.
     *
     * @throws IllegalAccessException if the class is in a named module that does not open its package to this one
     */
    static MethodHandles.Lookup lookupIn(Class<?> type) throws IllegalAccessException {
        // The user's module reads this one and not the other way round; a lookup needs both.
        UserAccess.class.getModule().addReads(type.getModule());
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    }
}

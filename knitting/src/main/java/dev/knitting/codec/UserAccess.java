package dev.knitting.codec;

import java.lang.invoke.MethodHandles;

/** The way into classes of the user. */
final class UserAccess {
    private UserAccess() {}

    /**
     * A lookup with all the rights that the class itself has; of a class in another module, all but that of defining
     * classes next to it. What is public and exported is in reach in any case.
     */
    static MethodHandles.Lookup lookupIn(Class<?> type) {
        // The user's module reads this one and not the other way round; a lookup needs both.
        UserAccess.class.getModule().addReads(type.getModule());
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            return MethodHandles.publicLookup(); // its module does not open the package to this one
        }
    }
}

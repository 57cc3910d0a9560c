package dev.knitting;

/** How a sleeping side of a mailbox is woken. */
public enum Doorbells {
    /** {@link #FUTEX} where the platform and native access allow it, else {@link #SOCKET}. */
    AUTOMATIC,
    /** The kernel's futex on the shared word (Linux, native access). */
    FUTEX,
    /** One byte over a Unix-domain socket. Works everywhere. */
    SOCKET
}

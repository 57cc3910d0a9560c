package dev.knitting.cli;

/** A command line that cannot be carried out as it was given: exit code 2. */
final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}

package dev.knitting.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a task gets for one file, decided by the type of its parameter. */
enum InputKind {
    /** The path as it was given; the worker opens the file itself. */
    PATH(Path.class),
    /** The content. */
    BYTES(byte[].class),
    /** The content, decoded from UTF-8; a line of standard input itself. */
    TEXT(String.class);

    private final Class<?> parameterType;

    InputKind(Class<?> parameterType) {
        this.parameterType = parameterType;
    }

    /** The kind for a parameter of this type, or null if there is none. */
    static @Nullable InputKind of(Class<?> parameterType) {
        for (InputKind kind : values()) {
            if (kind.parameterType == parameterType) {
                return kind;
            }
        }
        return null;
    }

    Class<?> parameterType() {
        return parameterType;
    }

    /**
     * Makes the argument for one input.
     *
     * @param item a file's name as the user gave it, or a line
     * @param maxBytes most that a content may have; larger files are not read at all
     * @throws InputException if there is no such file, or it cannot be read
     */
    Input read(MapInputs.Item item, long maxBytes) throws InputException {
        if (item.tooLong()) {
            throw new InputException("INPUT_TOO_LARGE", "the line is too long");
        }
        if (this == TEXT && item.isText()) {
            return new Input(item.name(), 2L * item.name().length());
        }
        return file(item.name(), maxBytes);
    }

    private Input file(String name, long maxBytes) throws InputException {
        Path path;
        try {
            path = Path.of(name);
        } catch (InvalidPathException e) {
            throw new InputException("INPUT_NOT_FOUND", "not a file name: " + e.getMessage());
        }
        if (!Files.exists(path)) {
            throw new InputException("INPUT_NOT_FOUND", "no such file: path=" + name);
        }
        if (this == PATH) {
            return new Input(path, 0);
        }
        if (!Files.isRegularFile(path)) {
            // A named pipe or a device would be read without an end.
            throw new InputException("INPUT_NOT_A_FILE", "not a regular file: path=" + name);
        }
        return content(path, name, maxBytes);
    }

    private Input content(Path path, String name, long maxBytes) throws InputException {
        try {
            long length = Files.size(path);
            if (length > maxBytes) {
                throw new InputException(
                        "PAYLOAD_TOO_LARGE",
                        "file too large to hand over as content, take a Path instead: length=" + length + ", limit="
                                + maxBytes);
            }
            return new Input(this == BYTES ? Files.readAllBytes(path) : Files.readString(path), length);
        } catch (CharacterCodingException e) {
            throw new InputException("INPUT_NOT_UTF8", "the file is not UTF-8 text: path=" + name);
        } catch (IOException e) {
            throw new InputException("INPUT_UNREADABLE", "cannot read the file: " + e);
        }
    }

    /**
     * An argument.
     *
     * @param value a path, a text or a byte array
     * @param bytes how much content it holds
     */
    record Input(Object value, long bytes) {}

    /** A file that cannot become an argument: one failed line, not the end of the run. */
    static final class InputException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String code;

        InputException(String code, String message) {
            super(message);
            this.code = code;
        }

        String code() {
            return code;
        }
    }
}

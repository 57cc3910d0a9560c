package dev.knitting.memory;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a child process needs in order to attach a segment.
 *
 * @param standardInput file to redirect the child's standard input from, or null if the segment does not need it. Only
 *     meaningful inside the host's process, and only until the segment is closed
 * @param argument what the child passes to {@link SharedSegment#attach}
 */
public record Handover(@Nullable Path standardInput, String argument) {}

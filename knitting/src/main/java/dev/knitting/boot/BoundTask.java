package dev.knitting.boot;

import dev.knitting.codec.ValueCodec;
import org.jspecify.annotations.Nullable;

/**
 * A task as a worker runs it.
 *
 * @param body what to run
 * @param codec for argument and result; null where payloads travel by reference
 * @param async whether the body returns a stage
 */
public record BoundTask(TaskBody body, @Nullable ValueCodec codec, boolean async) {}

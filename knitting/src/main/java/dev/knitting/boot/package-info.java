/**
 * What a worker is told before its first call, as bytes in the segment: its configuration and the descriptions of tasks;
 * and the segment map that host and worker agree on.
 *
 * <p>Used by the host, which writes, and by the worker, which reads. Start reading at {@code SegmentMap}.
 */
@NullMarked
package dev.knitting.boot;

import org.jspecify.annotations.NullMarked;

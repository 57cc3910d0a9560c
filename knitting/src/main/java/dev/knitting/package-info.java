/**
 * What callers see: {@link dev.knitting.Pool}, {@link dev.knitting.Task}, {@link dev.knitting.Call}, the options and the
 * {@link dev.knitting.KnittingException} tree.
 *
 * <p>Owns every default and every limit. Knows nothing of memory layouts, threads or processes: the engine in {@code
 * dev.knitting.host} is found through {@link dev.knitting.PoolFactory}, so that dependencies point down only. Start
 * reading at {@link dev.knitting.Pool}.
 */
@NullMarked
package dev.knitting;

import org.jspecify.annotations.NullMarked;

/**
 * The engine behind {@link dev.knitting.Pool}: pending calls, dispatch, completion, shutdown, supervision.
 *
 * <p>May use every package but the worker's. Start reading at {@code DefaultPool}.
 */
@NullMarked
package dev.knitting.host;

import org.jspecify.annotations.NullMarked;

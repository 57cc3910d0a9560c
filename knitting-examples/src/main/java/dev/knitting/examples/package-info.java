/**
 * Examples of tasks, for reading and for the {@code knit} command.
 *
 * <p>Plain static methods: nothing here knows the pool that runs them, and each can be called and
 * tested as it is. Start reading at {@link dev.knitting.examples.PdfText}.
 */
@NullMarked
package dev.knitting.examples;

import org.jspecify.annotations.NullMarked;

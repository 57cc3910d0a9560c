/** Examples of tasks, for reading and for the {@code knit} command. */
@NullMarked
package dev.knitting.examples;

import org.jspecify.annotations.NullMarked;

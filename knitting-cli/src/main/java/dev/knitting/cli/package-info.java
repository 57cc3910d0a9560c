/** The {@code knit} command. */
@NullMarked
package dev.knitting.cli;

import org.jspecify.annotations.NullMarked;

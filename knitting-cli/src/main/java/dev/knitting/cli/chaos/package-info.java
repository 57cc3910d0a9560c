/** {@code knit chaos}: workers die at random while callers check every result. */
@NullMarked
package dev.knitting.cli.chaos;

import org.jspecify.annotations.NullMarked;

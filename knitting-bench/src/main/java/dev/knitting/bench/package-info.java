/** Measurements of the library. */
@NullMarked
package dev.knitting.bench;

import org.jspecify.annotations.NullMarked;

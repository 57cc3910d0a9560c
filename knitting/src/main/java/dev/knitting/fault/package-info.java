/** Named points at which a test kills, stops, delays or fails a process; off and free of cost unless a property says so. */
@NullMarked
package dev.knitting.fault;

import org.jspecify.annotations.NullMarked;

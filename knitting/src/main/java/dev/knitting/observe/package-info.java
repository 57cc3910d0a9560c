/**
 * Looking at pools and at the platform from outside: of this process or of others of the same user.
 *
 * <p>Reads shared memory and never writes it; starts nothing. No thread of a pool runs through it. Start reading at {@code
 * RunningPools} and {@code Platform}.
 */
@NullMarked
package dev.knitting.observe;

import org.jspecify.annotations.NullMarked;

/**
 * The {@code knit} command.
 *
 * <p>Owns the command line: options, exit codes, what goes to standard output and to standard error. Knows the library
 * only by its public API. Everything here runs in the host; a worker sees {@link dev.knitting.cli.DemoProgram} only.
 * Start reading at {@link dev.knitting.cli.Knit}; {@code map} is {@link dev.knitting.cli.MapCommand} (options),
 * {@link dev.knitting.cli.TaskLookup} (which method), {@link dev.knitting.cli.MapRunner} (the loop).
 */
@NullMarked
package dev.knitting.cli;

import org.jspecify.annotations.NullMarked;

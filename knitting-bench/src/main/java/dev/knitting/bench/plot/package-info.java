/**
 * Plots and tables of results: reads the JSON lines that the benchmarks print, writes SVG and Markdown.
 *
 * <p>Knows the lines only by their names, and nothing of how they were measured. Start reading at {@link
 * dev.knitting.bench.plot.Plots}.
 */
@NullMarked
package dev.knitting.bench.plot;

import org.jspecify.annotations.NullMarked;

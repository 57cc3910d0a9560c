/**
 * Round-trip benchmarks: the library beside its peers and the limit of the hardware.
 *
 * <p>This package owns what is measured and how: operations ({@link dev.knitting.bench.Workload}), the interleaved
 * rounds ({@link dev.knitting.bench.RoundTripBench}), statistics and reports. It knows peers only through {@link
 * dev.knitting.bench.peer.Peer}. Everything runs on one caller thread. Start reading at {@code RoundTripBench}.
 */
@NullMarked
package dev.knitting.bench;

import org.jspecify.annotations.NullMarked;

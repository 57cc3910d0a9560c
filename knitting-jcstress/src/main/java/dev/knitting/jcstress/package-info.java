/**
 * jcstress tests of the edges and pairs of {@code docs/memory-model.md}. What ends in {@code Twin} lacks one order and must
 * show what is forbidden otherwise; what ends in {@code PlainTwin} is wrong too, but need not show it on hardware that keeps
 * the order of stores and that of loads, as x86-64 does.
 */
@NullMarked
package dev.knitting.jcstress;

import org.jspecify.annotations.NullMarked;

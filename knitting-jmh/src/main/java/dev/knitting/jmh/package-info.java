/**
 * Single stages of a call by JMH, all in one JVM: what each costs when everything is in the cache, and what it
 * allocates. Whole calls between cores are measured by {@code dev.knitting.bench}, which knows the limit of the moment.
 */
@NullMarked
package dev.knitting.jmh;

import org.jspecify.annotations.NullMarked;

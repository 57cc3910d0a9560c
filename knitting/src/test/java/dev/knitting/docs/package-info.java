/** Tests of the documents at the root of the checkout: what they claim is true, what they show compiles and runs. */
@NullMarked
package dev.knitting.docs;

import org.jspecify.annotations.NullMarked;

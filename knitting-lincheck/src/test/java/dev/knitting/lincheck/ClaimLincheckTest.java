package dev.knitting.lincheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.ClaimWord;
import dev.knitting.memory.BufferWords;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * A producer and two workers at one shared mailbox, under Lincheck's model checker: what workers take must be what a queue
 * would have given them, each call once. The checker tries interleavings of a sequentially consistent memory, of scenarios
 * that it makes up; weaker orders are the business of jcstress and of the litmus tests.
 */
class ClaimLincheckTest {
    /** What the mailbox stands for. */
    public static class AsQueue {
        private final Queue<Long> calls = new ArrayDeque<>();
        private long next;

        public void publish() {
            calls.add(++next);
        }

        public long takeFirst() {
            Long call = calls.poll();
            return call == null ? 0 : call;
        }

        public long takeSecond() {
            return takeFirst();
        }
    }

    /** The library's claims. */
    public static class Ticket extends SharedBox {
        @Override
        boolean tryClaim(ClaimReader reader) {
            return reader.tryClaim();
        }

        @Operation(nonParallelGroup = "producer")
        public void publish() {
            publishNext();
        }

        @Operation(nonParallelGroup = "first")
        public long takeFirst() {
            return take(0);
        }

        @Operation(nonParallelGroup = "second")
        public long takeSecond() {
            return take(1);
        }
    }

    /** A load and a store in place of the compare-and-set. */
    public static class LoadAndStore extends SharedBox {
        @Override
        boolean tryClaim(ClaimReader reader) {
            long at = reader.position();
            reader.advance();
            if (ClaimWord.isClaimed(claims.claimAcquire(at), at)) {
                return false;
            }
            BufferWords.setLongRelease(WINDOW, at * 64, ClaimWord.claimed(at, 1));
            return true;
        }

        @Operation(nonParallelGroup = "producer")
        public void publish() {
            publishNext();
        }

        @Operation(nonParallelGroup = "first")
        public long takeFirst() {
            return take(0);
        }

        @Operation(nonParallelGroup = "second")
        public long takeSecond() {
            return take(1);
        }
    }

    private static void check(Class<?> mailbox) {
        ModelCheckingOptions options = new ModelCheckingOptions();
        options.threads(3);
        options.actorsPerThread(2);
        options.actorsBefore(1);
        options.actorsAfter(1);
        options.iterations(Integer.getInteger("lincheck.iterations", 15));
        options.invocationsPerIteration(300);
        options.sequentialSpecification(AsQueue.class);
        options.check(mailbox);
    }

    @Test
    void ticket_producerAndTwoWorkers_isAQueue() {
        check(Ticket.class);
    }

    @Test
    void twin_loadAndStore_claimsACallTwice() {
        assertThat(catchThrowable(() -> check(LoadAndStore.class))).hasMessageContaining("Invalid execution results");
    }
}

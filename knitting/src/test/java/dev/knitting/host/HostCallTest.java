package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who may settle an arrived call: exactly one thread, see {@link HostCall}. */
class HostCallTest {
    private final HostCall<String> call =
            new HostCall<>(new Completion("test", 0, 1_000_000, false, null), TaskEntry.UNKNOWN, null, false);

    @Test
    void settle_arrivedCall_isNotTheDrainersAnyMore() {
        call.setOutcome("value", false);
        call.publishArrival();
        assertThat(call.isOwnedByDrainer()).isFalse();

        call.settle(); // a waiter was faster than the drainer

        assertThat(call.isOwnedByDrainer())
                .as("settled twice: the second time without its value")
                .isFalse();
        assertThat(call.resultNow()).isEqualTo("value");
    }

    @Test
    void takeForOwner_nobodyElseCanSettle() {
        call.setOutcome("value", false);
        call.takeForOwner();

        call.settle(); // a waiter that sees it arrived

        assertThat(call.isDone()).isFalse();
        assertThat(call.isOwnedByDrainer()).isTrue();
        call.settleTaken();
        assertThat(call.resultNow()).isEqualTo("value");
    }

    @Test
    void dropTaken_calledTwice_keepsTheFutureAsItIs() {
        call.setOutcome("value", false);
        call.takeForOwner();
        call.complete("from outside");

        call.dropTaken();
        call.dropTaken();

        assertThat(call.resultNow()).isEqualTo("from outside");
    }
}

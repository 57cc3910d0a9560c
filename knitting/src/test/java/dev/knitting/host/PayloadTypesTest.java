package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Which types cross a pool that copies: those of the signature, registered ones, those of a codec; and how large. */
@ParameterizedClass(name = "{0}")
@EnumSource
class PayloadTypesTest {
    enum Kind {
        COPYING,
        PROCESSES,
        DIRECT;

        PoolBuilder builder() {
            return this == PROCESSES
                    ? Pool.processes(1).jvm(jvm -> jvm.maxHeap("128m"))
                    : Pool.threads(1).copyArguments(true);
        }

        Pool open(PoolBuilder builder) {
            return this == DIRECT ? builder.direct() : builder.open();
        }
    }

    sealed interface Shape {}

    record Circle(double radius) implements Shape {}

    record Square(double side) implements Shape {}

    /** Not sealed: a signature that shows it does not show who implements it. */
    interface Event {}

    record Started(String name) implements Event {}

    record Stopped(String name, int code) implements Event {}

    public static final class CurrencyCodec implements PayloadCodec<Currency> {
        public CurrencyCodec() {}

        @Override
        public Class<Currency> type() {
            return Currency.class;
        }

        @Override
        public void write(Currency value, DataOutput output) throws IOException {
            output.writeUTF(value.getCurrencyCode());
        }

        @Override
        public Currency read(DataInput input) throws IOException {
            return Currency.getInstance(input.readUTF());
        }
    }

    private static final Task<Shape, Shape> TURN = Task.of(PayloadTypesTest::turn);
    private static final Task<List<Event>, Event> LAST = Task.of(PayloadTypesTest::last);
    private static final Task<Currency, Currency> SAME = Task.of(PayloadTypesTest::same);

    private static Shape turn(Shape shape) {
        return switch (shape) {
            case Circle circle -> new Square(circle.radius());
            case Square square -> new Circle(square.side());
        };
    }

    private static Event last(List<Event> events) {
        return events.getLast();
    }

    private static Currency same(Currency currency) {
        return currency;
    }

    private static Object anything(String name) {
        return List.of(new Started(name));
    }

    private static Pool pool;

    @Parameter
    Kind kind;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.open(kind.builder().register(Started.class, Stopped.class).codec(CurrencyCodec.class));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        pool.close();
    }

    private static KnittingException refused(Runnable attempt, ErrorCode code) {
        KnittingException thrown = catchThrowableOfType(KnittingException.class, attempt::run);
        assertThat(thrown).isNotNull();
        assertThat(thrown.code()).isEqualTo(code);
        return thrown;
    }

    @Test
    void sealedHierarchy_ofTheSignature_crossesWithoutConfiguration() {
        assertThat(pool.invoke(TURN, new Circle(2))).isEqualTo(new Square(2));
        assertThat(pool.invoke(TURN, new Square(3))).isEqualTo(new Circle(3));
    }

    @Test
    void register_subtypeThatNoSignatureShows_crosses() {
        List<Event> events = List.of(new Started("a"), new Stopped("b", 1));
        assertThat(pool.invoke(LAST, events)).isEqualTo(new Stopped("b", 1));
        String name = "of a lambda";
        assertThat(pool.<Object>invoke(() -> anything(name)))
                .as("the elements of a result that its signature calls an object")
                .isEqualTo(List.of(new Started(name)));
    }

    @Test
    void notRegistered_subtypeThatNoSignatureShows_isRefusedByNameAndPlace() {
        try (Pool strict = kind.open(kind.builder())) {
            List<Event> events = List.of(new Started("a"));
            assertThat(refused(() -> strict.invoke(LAST, events), ErrorCode.UNSUPPORTED_PAYLOAD))
                    .hasMessageContaining(Started.class.getName())
                    .hasMessageContaining("[0]")
                    .hasMessageContaining("register");
            String name = "x";
            assertThat(refused(() -> strict.<Object>invoke(() -> anything(name)), ErrorCode.UNSUPPORTED_PAYLOAD))
                    .hasMessageContaining(Started.class.getName());
        }
    }

    @Test
    void codec_typeThatThePoolDoesNotKnow_crossesAloneAndWithin() {
        Currency euro = Currency.getInstance("EUR");
        assertThat(pool.invoke(SAME, euro)).isSameAs(euro);
        assertThat(pool.invoke(() -> List.of(euro, euro).size())).isEqualTo(2);
        try (Pool strict = kind.open(kind.builder())) {
            assertThat(refused(() -> strict.invoke(SAME, euro), ErrorCode.UNSUPPORTED_PAYLOAD))
                    .hasMessageContaining("java.util.Currency")
                    .hasMessageContaining("codec");
        }
    }

    /** The cap is for one value, the ceiling for all that one worker holds at once: one value of that size always fits. */
    @Test
    void sizes_capIsTheCeiling_aValueAtTheCapCrosses_oneAboveIsRefused() {
        int ceiling = 64 << 10;
        try (Pool small = kind.open(kind.builder().payload(p -> p.ceilingBytes(ceiling)))) {
            for (Runnable attempt : List.<Runnable>of(
                    () -> small.invoke(ContractTasks.ECHO_BYTES, new byte[ceiling + 1]),
                    () -> small.invoke(ContractTasks.MAKE_BYTES, ceiling + 1))) {
                assertThat(refused(attempt, ErrorCode.PAYLOAD_TOO_LARGE))
                        .hasMessageContaining("length=" + (ceiling + 1))
                        .hasMessageContaining("limit=" + ceiling)
                        .hasMessageContaining("option=payload.maxBytes");
            }
            assertThat(small.invoke(ContractTasks.ECHO_BYTES, new byte[ceiling]))
                    .hasSize(ceiling);
        }
    }

    @Test
    void depth_beyondTheLimit_isRefused() {
        List<Object> nested = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            List<Object> outer = new ArrayList<>();
            outer.add(nested);
            nested = outer;
        }
        List<Object> deep = nested;
        assertThat(refused(() -> pool.invoke(() -> deep.size()), ErrorCode.UNSUPPORTED_PAYLOAD))
                .hasMessageContaining("limit=128");
    }
}

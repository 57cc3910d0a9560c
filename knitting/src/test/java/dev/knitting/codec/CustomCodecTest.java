package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CustomCodecTest {
    private static final class Celsius {
        private final double degrees;

        Celsius(double degrees) {
            this.degrees = degrees;
        }
    }

    private enum Fault {
        NONE,
        WRITE_THROWS,
        READ_THROWS,
        READ_TOO_MUCH,
        READ_TOO_LITTLE,
        READ_NULL,
        WRITE_ENDLESSLY
    }

    private static final class CelsiusCodec implements PayloadCodec<Celsius> {
        private final Fault fault;

        CelsiusCodec(Fault fault) {
            this.fault = fault;
        }

        @Override
        public Class<Celsius> type() {
            return Celsius.class;
        }

        @Override
        public void write(Celsius value, DataOutput output) throws IOException {
            if (fault == Fault.WRITE_THROWS) {
                throw new IOException("no ink");
            }
            output.writeUTF("celsius");
            output.writeDouble(value.degrees);
            while (fault == Fault.WRITE_ENDLESSLY) {
                output.write(new byte[1024]);
            }
        }

        @Override
        public Celsius read(DataInput input) throws IOException {
            if (fault == Fault.READ_THROWS) {
                throw new IllegalStateException("no glasses");
            }
            assertThat(input.readUTF()).isEqualTo("celsius");
            double degrees = fault == Fault.READ_TOO_LITTLE ? input.readFloat() : input.readDouble();
            if (fault == Fault.READ_TOO_MUCH) {
                input.readByte();
            }
            return fault == Fault.READ_NULL ? null : new Celsius(degrees);
        }
    }

    private static ValueCodec codec(Fault fault) {
        return new ValueCodec(TypeTable.of(List.of(), List.of(), List.of(new CelsiusCodec(fault))), Crossing.CAP);
    }

    @Test
    void cross_valueOfACodec_arrives() {
        List<?> arrived = (List<?>) Crossing.cross(codec(Fault.NONE), List.of(new Celsius(21.5), "after"));
        assertThat(((Celsius) arrived.get(0)).degrees).isEqualTo(21.5);
        assertThat(arrived.get(1)).isEqualTo("after");
        assertThat(((Celsius) Crossing.cross(codec(Fault.NONE), new Celsius(1))).degrees)
                .isEqualTo(1);
    }

    @Test
    void encode_codecThrows_namesCodecAndCause() {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec(Fault.WRITE_THROWS).encode(List.of(new Celsius(1)), new Payload()))
                .withMessageContaining("CelsiusCodec")
                .withMessageContaining("[0]")
                .withCauseExactlyInstanceOf(IOException.class)
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }

    @Test
    void encode_codecWithoutEnd_stopsAtTheCap() {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> codec(Fault.WRITE_ENDLESSLY).encode(new Celsius(1), new Payload()))
                .extracting(KnittingException::code)
                .isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
    }

    @Test
    void decode_codecReadsBeyondItsBytes_seesTheEnd() {
        assertReadFails(Fault.READ_TOO_MUCH, "CelsiusCodec", EOFException.class);
        assertReadFails(Fault.READ_THROWS, "CelsiusCodec", IllegalStateException.class);
    }

    @Test
    void decode_codecLeavesBytesOrReadsNothing_isNamed() {
        assertReadFails(Fault.READ_TOO_LITTLE, "bytes=4", null);
        assertReadFails(Fault.READ_NULL, "CelsiusCodec", null);
    }

    private static void assertReadFails(Fault fault, String fragment, Class<? extends Throwable> cause) {
        var thrown = assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> Crossing.cross(codec(fault), List.of(new Celsius(1), "after")))
                .withMessageContaining(fragment)
                .withMessageContaining("[0]");
        if (cause != null) {
            thrown.withCauseExactlyInstanceOf(cause);
        }
        thrown.extracting(KnittingException::code).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
    }
}

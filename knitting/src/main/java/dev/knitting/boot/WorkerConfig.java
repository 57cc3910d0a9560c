package dev.knitting.boot;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What every worker of a pool is told.
 *
 * @param arenaBytes bytes of each of a lane's two arenas
 * @param maxPayloadBytes most that one result may take
 * @param spinNanos how long an idle worker looks at memory before it sleeps
 * @param parkNanos longest sleep without looking
 * @param asymmetric which bell fence is used
 * @param deliverWhenIdle whether results wait until the worker has no other call
 * @param registered names of types allowed beyond the declared signatures
 * @param codecs names of codec classes
 * @param recycleAfter calls after which a worker ends itself, or 0
 * @param tasks how many tasks of the table to check and warm before the worker is ready
 * @param pool the pool's name
 * @param debug the debug namespaces that are on, one bit each
 * @param measureEachCall whether the clock is read for every call
 * @param startHook runs before everything else, see {@link StartHook}; empty if there is none
 * @param lastStep what the worker takes from itself before it loads any task class; empty for nothing
 * @param context name of the context carrier's class; empty if calls bring no context
 */
public record WorkerConfig(
        long arenaBytes,
        long maxPayloadBytes,
        long spinNanos,
        long parkNanos,
        boolean asymmetric,
        boolean deliverWhenIdle,
        List<String> registered,
        List<String> codecs,
        long recycleAfter,
        int tasks,
        String pool,
        int debug,
        boolean measureEachCall,
        byte[] startHook,
        byte[] lastStep,
        String context) {

    /** The configuration as bytes. */
    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(arenaBytes);
            out.writeLong(maxPayloadBytes);
            out.writeLong(spinNanos);
            out.writeLong(parkNanos);
            out.writeBoolean(asymmetric);
            out.writeBoolean(deliverWhenIdle);
            writeNames(out, registered);
            writeNames(out, codecs);
            out.writeLong(recycleAfter);
            out.writeInt(tasks);
            out.writeUTF(pool);
            out.writeInt(debug);
            out.writeBoolean(measureEachCall);
            out.writeInt(startHook.length);
            out.write(startHook);
            out.writeInt(lastStep.length);
            out.write(lastStep);
            out.writeUTF(context);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #toBytes} wrote.
     *
     * @throws KnittingException {@link ErrorCode#CORRUPT_PEER} if they are none
     */
    public static WorkerConfig fromBytes(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return new WorkerConfig(
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readBoolean(),
                    in.readBoolean(),
                    readNames(in),
                    readNames(in),
                    in.readLong(),
                    in.readInt(),
                    in.readUTF(),
                    in.readInt(),
                    in.readBoolean(),
                    in.readNBytes(in.readInt()),
                    in.readNBytes(in.readInt()),
                    in.readUTF());
        } catch (IOException | RuntimeException e) { // too short, or a length below 0
            throw new KnittingException(
                    ErrorCode.CORRUPT_PEER, KnittingException.message("not a worker configuration", "reason", e), e);
        }
    }

    private static void writeNames(DataOutputStream out, List<String> names) throws IOException {
        out.writeInt(names.size());
        for (String name : names) {
            out.writeUTF(name);
        }
    }

    private static List<String> readNames(DataInputStream in) throws IOException {
        int count = in.readInt();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(in.readUTF());
        }
        return names;
    }
}

package dev.knitting.launch;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * The bytes of a jar that holds nothing but a manifest: main class, class path, native access.
 *
 * <p>Why a jar: {@code --enable-native-access} on the command line makes the JVM give up the module graph prepared in
 * its archive, which costs every worker 10 to 25 ms of its start; the same grant in the manifest of {@code java -jar}
 * does not. Why by hand: the jar classes would cost the host's first pool as much again. The format is a zip archive of one stored
 * entry (local header, data, central directory, end record).
 */
final class WorkerJar {
    private static final String NAME = "META-INF/MANIFEST.MF";
    /** Longest line of a manifest in bytes, line end excluded; a continuation begins with a space. */
    private static final int MAX_LINE = 70;

    private static final int LOCAL_HEADER = 0x04034b50;
    private static final int CENTRAL_HEADER = 0x02014b50;
    private static final int END_RECORD = 0x06054b50;
    private static final short VERSION = 10;
    /** 1 January 1980, the first date a zip archive knows. */
    private static final short DATE = 0x21;

    private static final int LOCAL_BYTES = 30;
    private static final int CENTRAL_BYTES = 46;
    private static final int END_BYTES = 22;

    private WorkerJar() {}

    /** A jar that starts this class with this class path (absolute entries) and native access. */
    static byte[] of(String mainClass, String classPath) {
        ByteArrayOutputStream manifest = new ByteArrayOutputStream(classPath.length() * 2);
        line("Manifest-Version: 1.0", manifest);
        line("Main-Class: " + mainClass, manifest);
        line("Enable-Native-Access: ALL-UNNAMED", manifest);
        line("Class-Path: " + urls(classPath), manifest);
        return zip(manifest.toByteArray());
    }

    /** The entries as URLs, in ASCII; those of directories end with a slash. */
    private static String urls(String classPath) {
        StringBuilder urls = new StringBuilder(classPath.length() * 2);
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            urls.append(urls.isEmpty() ? "" : " ").append(Path.of(entry).toUri().toASCIIString());
        }
        return urls.toString();
    }

    private static void line(String text, ByteArrayOutputStream to) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at < bytes.length; at += MAX_LINE) {
            if (at > 0) {
                to.write(' ');
            }
            to.write(bytes, at, Math.min(MAX_LINE, bytes.length - at));
            to.write('\n');
        }
    }

    private static byte[] zip(byte[] data) {
        byte[] name = NAME.getBytes(StandardCharsets.US_ASCII);
        int localBytes = LOCAL_BYTES + name.length + data.length;
        int centralBytes = CENTRAL_BYTES + name.length;
        ByteBuffer zip =
                ByteBuffer.allocate(localBytes + centralBytes + END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        zip.putInt(LOCAL_HEADER);
        common(name, data, zip);
        zip.put(name).put(data);
        zip.putInt(CENTRAL_HEADER).putShort(VERSION);
        common(name, data, zip);
        // Length of the comment, disk, attributes (internal, external), offset of the local header.
        zip.putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0)
                .putInt(0)
                .putInt(0);
        zip.put(name);
        // Disk numbers, entries here and in all, the central directory's length and offset, length of the comment.
        zip.putInt(END_RECORD).putInt(0).putShort((short) 1).putShort((short) 1);
        zip.putInt(centralBytes).putInt(localBytes).putShort((short) 0);
        return zip.array();
    }

    /** The fields that local and central header have in common: from the version needed to the extra length. */
    private static void common(byte[] name, byte[] data, ByteBuffer zip) {
        CRC32 sum = new CRC32();
        sum.update(data);
        // Version, flags, method (stored), time.
        zip.putShort(VERSION).putShort((short) 0).putShort((short) 0).putShort((short) 0);
        zip.putShort(DATE).putInt((int) sum.getValue()).putInt(data.length).putInt(data.length);
        zip.putShort((short) name.length).putShort((short) 0);
    }
}

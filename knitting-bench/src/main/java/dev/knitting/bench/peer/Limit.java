package dev.knitting.bench.peer;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The limit, both sides: two JVMs spin on two plain words, each on a pair of cache lines of its own. */
record Limit(MemorySegment words) {
    static final long SIZE = 4096;
    private static final VarHandle WORD = JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final long CALL_OFFSET = 128;
    private static final long REPLY_OFFSET = 256;
    private static final long PAUSE = -1;
    private static final long GONE = -2;

    static Limit map(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
            return new Limit(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena));
        }
    }

    /** Host: sends a word, positive and other than the one before, and waits until the reply is another one too. */
    long call(long word, long replyBefore) {
        WORD.setRelease(words, CALL_OFFSET, word);
        return await(REPLY_OFFSET, replyBefore);
    }

    /** Host: lets the child sleep until the next call. */
    void pause() {
        WORD.setRelease(words, CALL_OFFSET, PAUSE);
    }

    /** Host: ends a call whose child has ended. */
    void gone() {
        WORD.setRelease(words, REPLY_OFFSET, GONE);
    }

    private long await(long offset, long before) {
        long word = (long) WORD.getAcquire(words, offset);
        while (word == before) {
            Thread.onSpinWait();
            word = (long) WORD.getAcquire(words, offset);
        }
        return word;
    }

    /** Child: answers every word with the word plus one, for ever. Argument: the file to map. */
    public static void main(String[] args) throws IOException, InterruptedException {
        ChildJvm.endWithParent();
        Limit limit = map(Path.of(args[0]), Arena.global());
        System.out.println("ready");
        long word = 0;
        while (true) {
            word = limit.await(CALL_OFFSET, word);
            if (word == PAUSE) {
                Thread.sleep(1);
                word = 0;
            } else {
                WORD.setRelease(limit.words, REPLY_OFFSET, word + 1);
            }
        }
    }
}

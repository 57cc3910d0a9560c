package dev.knitting.cli.chaos;

import dev.knitting.Task;
import java.util.Arrays;

/** What callers ask of workers that die: results that tell whether they are right. */
final class ChaosTasks {
    static final Task<Long, Long> INC = Task.of(ChaosTasks::inc);
    static final Task<String, String> ECHO = Task.of(ChaosTasks::echo);
    static final Task<byte[], byte[]> REVERSE = Task.of(ChaosTasks::reverse);
    static final Task<String, String> FAIL = Task.of(ChaosTasks::fail);
    static final Task<Integer, Long> WORK = Task.of(ChaosTasks::work);

    static final Task<Void, Long> PID = Task.of(ChaosTasks::pid);

    private ChaosTasks() {}

    static long pid() {
        return ProcessHandle.current().pid();
    }

    static long inc(long number) {
        return number + 1;
    }

    static String echo(String text) {
        return text;
    }

    static byte[] reverse(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[bytes.length - 1 - i] = bytes[i];
        }
        return reversed;
    }

    static String fail(String text) {
        throw new IllegalStateException(text);
    }

    static long add(long first, long second) {
        return first + second;
    }

    /** Takes some ten microseconds for each thousand. */
    static long work(int rounds) {
        long[] numbers = new long[64];
        for (int i = 0; i < rounds; i++) {
            numbers[i & 63] += i * 31L;
        }
        return Arrays.stream(numbers).sum();
    }
}

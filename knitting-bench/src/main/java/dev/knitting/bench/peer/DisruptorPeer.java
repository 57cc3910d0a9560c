package dev.knitting.bench.peer;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.WaitStrategy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * LMAX Disruptor: a ring for the calls, read by a worker thread, and a ring for the results, read by the caller. One
 * producer each. Arguments pass as references.
 *
 * <p>Busy spinning: every message is published at once, so that the other side works meanwhile. Blocking: messages are
 * published by the batch, since each publication takes a lock and may cost a wake-up.
 */
final class DisruptorPeer implements Peer {
    private static final int CAPACITY = 1024;

    private final String name;
    private final boolean isBlocking;
    private final RingBuffer<Message> calls;
    private final RingBuffer<Message> replies;
    private final SequenceBarrier replyBarrier;
    private final Sequence taken = new Sequence();
    private final BatchEventProcessor<Message> processor;
    private final Thread worker;
    private volatile boolean isClosing;

    /** An element of either ring, made once. */
    private static final class Message {
        Task task = Task.PAUSE;
        long number;

        @Nullable
        Object reference;
    }

    private enum Task {
        PAUSE,
        INC,
        BYTES,
        STRING,
        ORDER
    }

    private DisruptorPeer(String name, boolean isBlocking, Supplier<WaitStrategy> strategy) {
        this.name = name;
        this.isBlocking = isBlocking;
        calls = RingBuffer.createSingleProducer(Message::new, CAPACITY, strategy.get());
        replies = RingBuffer.createSingleProducer(Message::new, CAPACITY, strategy.get());
        replyBarrier = replies.newBarrier();
        replies.addGatingSequences(taken);
        processor = new BatchEventProcessorBuilder().build(calls, calls.newBarrier(), this::answer);
        calls.addGatingSequences(processor.getSequence());
        worker = Thread.ofPlatform().daemon().name(name).start(processor);
    }

    static Peer busySpin() {
        return new DisruptorPeer("disruptor-busyspin", false, BusySpinWaitStrategy::new);
    }

    static Peer blocking() {
        return new DisruptorPeer("disruptor-blocking", true, BlockingWaitStrategy::new);
    }

    /** The worker. */
    private void answer(Message call, long sequence, boolean endOfBatch) throws InterruptedException {
        if (call.task == Task.PAUSE) {
            while (calls.getCursor() == sequence && !isClosing) {
                Thread.sleep(1);
            }
            return;
        }
        long position = replies.next();
        run(call, replies.get(position));
        if (endOfBatch || !isBlocking) {
            replies.publish(position);
        }
    }

    private static void run(Message call, Message reply) {
        if (call.task == Task.INC) {
            reply.number = BenchTasks.inc(call.number);
            return;
        }
        Object argument = call.reference;
        if (argument == null) {
            throw new IllegalStateException("no argument: task=" + call.task);
        }
        reply.reference = switch (call.task) {
            case BYTES -> BenchTasks.echoBytes((byte[]) argument);
            case STRING -> BenchTasks.echoString((String) argument);
            case ORDER -> BenchTasks.echoOrder((Order) argument);
            case INC, PAUSE -> throw new IllegalStateException("no payload: task=" + call.task);
        };
    }

    @Override
    public long inc(long value) throws Exception {
        long position = claim(Task.INC);
        calls.get(position).number = value;
        calls.publish(position);
        long next = taken.get() + 1;
        replyBarrier.waitFor(next);
        long result = replies.get(next).number;
        taken.set(next);
        return result;
    }

    private long claim(Task task) {
        long position = calls.next();
        calls.get(position).task = task;
        return position;
    }

    @Override
    public void incAll(long[] values, long[] results) throws Exception {
        exchange(
                values.length, Task.INC, (i, call) -> call.number = values[i], (i, reply) -> results[i] = reply.number);
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws Exception {
        references(Task.BYTES, values, results);
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws Exception {
        references(Task.STRING, values, results);
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws Exception {
        references(Task.ORDER, values, results);
    }

    @SuppressWarnings("unchecked") // the task returns what it takes
    private <T> void references(Task task, T[] values, T[] results) throws Exception {
        exchange(
                values.length,
                task,
                (i, call) -> call.reference = values[i],
                (i, reply) -> results[i] = (T) reply.reference);
    }

    /** Never has more calls under way than a ring holds, so neither side waits for room. */
    private void exchange(int count, Task task, Access write, Access read)
            throws AlertException, InterruptedException, TimeoutException {
        int sent = 0;
        int received = 0;
        while (received < count) {
            int end = Math.min(count, received + CAPACITY);
            for (; sent < end; sent++) {
                long position = claim(task);
                write.access(sent, calls.get(position));
                if (!isBlocking || sent == end - 1) {
                    calls.publish(position);
                }
            }
            long next = taken.get() + 1;
            long available = replyBarrier.waitFor(next);
            for (; next <= available; next++) {
                read.access(received++, replies.get(next));
            }
            taken.set(available);
        }
    }

    private interface Access {
        void access(int index, Message message);
    }

    /** A spinning worker is told to sleep; a blocked one sleeps already. */
    @Override
    public void pause() {
        if (!isBlocking) {
            calls.publish(claim(Task.PAUSE));
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Kind kind() {
        return Kind.THREAD;
    }

    @Override
    public void close() {
        isClosing = true;
        processor.halt();
        try {
            worker.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

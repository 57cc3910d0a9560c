package dev.knitting.doorbell;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Wakes by one byte over a connected, non-blocking socket. A full socket means that the sleeper has bytes to read. */
public final class SocketRinger implements BellRinger {
    private final SocketChannel channel;

    /** @param channel connected and non-blocking */
    public SocketRinger(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void wake() throws IOException {
        channel.write(ByteBuffer.allocate(1));
    }
}

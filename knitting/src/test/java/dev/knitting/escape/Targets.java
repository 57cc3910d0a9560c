package dev.knitting.escape;

/**
 * What is planted outside the sandbox for an attempt. All of it is real: an attempt that reaches it has escaped.
 *
 * @param folder outside, with the file {@code secret.txt}
 * @param secret what the file holds
 * @param hostPid the process that opened the pool
 * @param decoyPid a process to signal and to trace
 * @param firstWorker one of the two workers of the pool
 * @param secondWorker the other one
 * @param memoryAddress eight bytes of the host, "hostmem!"
 * @param tcpPort where the host listens
 * @param udpPort where the host listens
 * @param unixPath where the host listens
 * @param abstractName where the host listens, without the zero byte
 * @param unixDatagramPath where the host takes datagrams
 * @param shmKey of a System V shared memory of the host that begins with "shared!!"
 * @param freePort nobody listens there
 * @param firstTemporary a file in the temporary folder of the first worker
 * @param secondTemporary the same of the other one
 */
record Targets(
        String folder,
        String secret,
        long hostPid,
        long decoyPid,
        long firstWorker,
        long secondWorker,
        long memoryAddress,
        int tcpPort,
        int udpPort,
        String unixPath,
        String abstractName,
        String unixDatagramPath,
        int shmKey,
        int freePort,
        String firstTemporary,
        String secondTemporary) {
    /** The other worker of the same pool. */
    long siblingPid() {
        return firstWorker == ProcessHandle.current().pid() ? secondWorker : firstWorker;
    }

    /** A file in the sibling's temporary folder. */
    String siblingTemporary() {
        return firstWorker == ProcessHandle.current().pid() ? secondTemporary : firstTemporary;
    }

    String file() {
        return folder + "/secret.txt";
    }
}

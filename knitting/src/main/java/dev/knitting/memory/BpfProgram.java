package dev.knitting.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Puts a seccomp filter together: a list of system calls that are refused, always or depending on an argument, each with an
 * error number. What no rule speaks of is allowed. Not safe for threads.
 *
 * <p>A system call whose rules look at no argument is decided by its number alone, and the kernel then remembers the
 * decision: the calls of a sleeping and waking worker pay nothing.
 *
 * <p>Arguments are compared by their low 32 bits: all that are looked at here are {@code int}, of which the kernel takes
 * no more.
 */
final class BpfProgram {
    /** Instructions that the kernel accepts. */
    private static final int MOST = 4096;

    private static final int LOAD = 0x20;
    private static final int AND = 0x54;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int JUMP_IF_GREATER = 0x25;
    private static final int JUMP_IF_ANY = 0x45;
    private static final int RETURN = 0x06;

    private static final int NUMBER_OFFSET = 0;
    private static final int ARCHITECTURE_OFFSET = 4;
    private static final int ARGUMENTS_OFFSET = 16;

    private static final int RET_ALLOW = 0x7FFF0000;
    private static final int RET_ERRNO = 0x00050000;

    private final ByteBuffer code = ByteBuffer.allocate(MOST * 8).order(ByteOrder.LITTLE_ENDIAN);

    /** A program that refuses other architectures, their ABIs and system calls that are newer than this list. */
    BpfProgram() {
        emit(LOAD, 0, 0, ARCHITECTURE_OFFSET);
        emit(JUMP_IF_EQUAL, 1, 0, Syscall.architecture());
        refuse(LinuxCalls.EPERM);
        emit(LOAD, 0, 0, NUMBER_OFFSET);
        // Also what begins at 2^30: the 32-bit ABI of x86-64, whose numbers mean something else.
        emit(JUMP_IF_GREATER, 0, 1, NEWEST);
        refuse(LinuxCalls.ENOSYS);
    }

    /** {@code mseal}: what came later is answered as by a kernel that does not have it. */
    private static final int NEWEST = 462;

    /** Refuses system calls whatever their arguments are. */
    BpfProgram refuse(int errno, Syscall... calls) {
        for (Syscall call : calls) {
            if (call.number() >= 0) {
                emit(JUMP_IF_EQUAL, 0, 1, call.number());
                refuse(errno);
            }
        }
        return this;
    }

    /** Refuses a system call unless an argument is one of these. */
    BpfProgram refuseUnless(int errno, Syscall call, int argument, int... allowed) {
        begin(call, 1 + allowed.length + 2);
        loadArgument(argument);
        for (int i = 0; i < allowed.length; i++) {
            emit(JUMP_IF_EQUAL, allowed.length - i, 0, allowed[i]);
        }
        refuse(errno);
        allow();
        return this;
    }

    /** Refuses a system call if an argument is one of these. */
    BpfProgram refuseIf(int errno, Syscall call, int argument, int... refused) {
        begin(call, 1 + refused.length + 2);
        loadArgument(argument);
        for (int i = 0; i < refused.length; i++) {
            emit(JUMP_IF_EQUAL, refused.length - i, 0, refused[i]);
        }
        allow();
        refuse(errno);
        return this;
    }

    /** Refuses a system call if an argument has one of these bits. */
    BpfProgram refuseIfAny(int errno, Syscall call, int argument, int bits) {
        begin(call, 4);
        loadArgument(argument);
        emit(JUMP_IF_ANY, 1, 0, bits);
        allow();
        refuse(errno);
        return this;
    }

    /** Refuses a system call unless an argument has one of these bits. */
    BpfProgram refuseUnlessAny(int errno, Syscall call, int argument, int bits) {
        begin(call, 4);
        loadArgument(argument);
        emit(JUMP_IF_ANY, 1, 0, bits);
        refuse(errno);
        allow();
        return this;
    }

    /** Refuses a call unless two arguments have these values. */
    BpfProgram refuseUnlessBoth(int errno, Syscall call, int first, int firstValue, int second, int secondValue) {
        begin(call, 6);
        loadArgument(first);
        emit(JUMP_IF_EQUAL, 0, 2, firstValue);
        loadArgument(second);
        emit(JUMP_IF_EQUAL, 1, 0, secondValue);
        refuse(errno);
        allow();
        return this;
    }

    /**
     * Refuses {@code socket} or {@code socketpair} unless family, type (without its flags) and protocol are among these.
     */
    BpfProgram refuseSocketUnless(int errno, Syscall call, int[] families, int type, int... protocols) {
        int rest = 1 + 1 + 1 + 1 + protocols.length + 2;
        begin(call, 1 + families.length + 1 + rest);
        loadArgument(0);
        for (int i = 0; i < families.length; i++) {
            emit(JUMP_IF_EQUAL, families.length - i, 0, families[i]);
        }
        refuse(errno);
        loadArgument(1);
        emit(AND, 0, 0, 0xF);
        emit(JUMP_IF_EQUAL, 0, 1 + protocols.length, type);
        loadArgument(2);
        for (int i = 0; i < protocols.length; i++) {
            emit(JUMP_IF_EQUAL, protocols.length - i, 0, protocols[i]);
        }
        refuse(errno);
        allow();
        return this;
    }

    /** The finished program. */
    byte[] toBytes() {
        allow();
        byte[] bytes = new byte[code.position()];
        code.get(0, bytes);
        return bytes;
    }

    /** What follows, {@code length} instructions that all end in a return, is for this call only. */
    private void begin(Syscall call, int length) {
        emit(JUMP_IF_EQUAL, 0, length, call.number());
    }

    private void loadArgument(int argument) {
        emit(LOAD, 0, 0, ARGUMENTS_OFFSET + 8 * argument);
    }

    private void refuse(int errno) {
        emit(RETURN, 0, 0, RET_ERRNO | errno);
    }

    private void allow() {
        emit(RETURN, 0, 0, RET_ALLOW);
    }

    private void emit(int operation, int ifTrue, int ifFalse, int operand) {
        code.putShort((short) operation).put((byte) ifTrue).put((byte) ifFalse).putInt(operand);
    }
}

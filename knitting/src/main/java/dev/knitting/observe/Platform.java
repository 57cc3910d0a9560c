package dev.knitting.observe;

import dev.knitting.Doorbells;
import dev.knitting.Memory;
import dev.knitting.memory.NativeAccess;
import dev.knitting.memory.ProcessBarrier;
import java.util.EnumSet;
import java.util.Set;

/**
 * What this machine and this JVM can do for a pool, and what {@code AUTOMATIC} options choose here.
 *
 * @param os name of the operating system
 * @param arch its processor architecture, as Java names it
 * @param processors processors that this JVM may use
 * @param nativeAccess whether this JVM may call native functions: the platform has them, the module was granted native
 *     access, and {@code -Dknitting.native=false} does not forbid it
 * @param memory kinds that a pool can be opened with
 * @param doorbells kinds that a pool can be opened with
 * @param processBarrier whether the kernel has the barrier ({@code membarrier}) that lets publishers do without a fence
 * @param defaultMemory what {@link Memory#AUTOMATIC} means here
 * @param defaultDoorbells what {@link Doorbells#AUTOMATIC} means here
 */
public record Platform(
        String os,
        String arch,
        int processors,
        boolean nativeAccess,
        Set<Memory> memory,
        Set<Doorbells> doorbells,
        boolean processBarrier,
        Memory defaultMemory,
        Doorbells defaultDoorbells) {

    /** Copies the sets. */
    public Platform {
        memory = Set.copyOf(memory);
        doorbells = Set.copyOf(doorbells);
    }

    /** Asks the system. Links native functions if they may be called; a millisecond or some tens. Any thread. */
    public static Platform probe() {
        boolean natives = NativeAccess.enabled();
        Set<Memory> memory = EnumSet.of(Memory.NAMED, Memory.PORTABLE);
        Set<Doorbells> doorbells = EnumSet.of(Doorbells.SOCKET);
        if (natives) {
            memory.add(Memory.INHERITED);
            doorbells.add(Doorbells.FUTEX);
        }
        return new Platform(
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                natives,
                memory,
                doorbells,
                ProcessBarrier.isSupported(),
                natives ? Memory.INHERITED : Memory.PORTABLE,
                natives ? Doorbells.FUTEX : Doorbells.SOCKET);
    }
}

package dev.knitting.memory;

/**
 * The two seccomp filters of a sandboxed worker. The first is inherited from the thread that starts it and must let {@code
 * java} be executed; the second one the worker lays upon all its threads before it loads any task class.
 *
 * <p>What Landlock decides (files, TCP ports) is let through here. Refused with {@code EACCES} is what an option of the
 * sandbox could allow, with {@code EPERM} what none does.
 */
final class SandboxFilters {
    /** Stands for the worker's own process id in the second filter; the worker puts its number in. No errno, no call. */
    static final int OWN_PID = 0x6B6E6974;

    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_STREAM = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int MSG_FASTOPEN = 0x20000000;
    /** Every CLONE_NEW*: mount, cgroup, uts, ipc, user, pid, net. (The time namespace's bit is a signal number here.) */
    private static final int CLONE_NEW_ANY = 0x00020000 | 0x02000000 | 0x7C000000;

    private static final int CLONE_THREAD = 0x00010000;
    private static final int F_SETOWN = 8;
    private static final int F_SETSIG = 10;
    private static final int F_SETOWN_EX = 15;
    private static final int F_SETLEASE = 1024;
    private static final int F_NOTIFY = 1026;
    private static final int PR_SET_PDEATHSIG = 1;

    /**
     * What may be asked of a descriptor: is it a terminal, of which size; close on exec or not; bytes to be read; blocking or
     * not; to be sent; at the mark; addresses, flags and numbers of network interfaces; a file's flags, extents and version.
     * Others change attributes of files that may only be read, or are for devices.
     */
    private static final int[] IOCTLS = {
        0x5401, 0x540F, 0x5413, 0x5450, 0x5451, 0x541B, 0x5421, 0x5411, 0x8905, 0x894C, 0x8910, 0x8912, 0x8913, 0x8915,
        0x8917, 0x8919, 0x891B, 0x8921, 0x8927, 0x8933, 0x8970, 0x8982, 0x802C542A, 0x80086601, 0x80087601, 0xC020660B,
                0x2, 0x80081272
    };

    private SandboxFilters() {}

    /** What no JVM needs; inherited by whatever the worker starts. */
    static byte[] inherited(Confinement confinement) {
        BpfProgram program = new BpfProgram();
        program.refuse(LinuxCalls.ENOSYS, Syscall.CLONE3); // its flags lie in memory; libraries fall back to clone
        program.refuse(
                LinuxCalls.EPERM,
                Syscall.PTRACE,
                Syscall.PROCESS_VM_READV,
                Syscall.PROCESS_VM_WRITEV,
                Syscall.PROCESS_MADVISE,
                Syscall.PROCESS_MRELEASE,
                Syscall.PIDFD_OPEN,
                Syscall.PIDFD_GETFD,
                Syscall.PIDFD_SEND_SIGNAL,
                Syscall.KCMP,
                Syscall.GET_ROBUST_LIST,
                Syscall.MIGRATE_PAGES,
                Syscall.MOVE_PAGES,
                Syscall.IOPRIO_SET);
        addNamespaces(program);
        addMachine(program);
        addNamedMemory(program);
        addAttributes(program);
        addOtherProcesses(program);
        addNetwork(program, confinement);
        return program.toBytes();
    }

    private static void addNamespaces(BpfProgram program) {
        program.refuse(
                        LinuxCalls.EPERM,
                        Syscall.UNSHARE,
                        Syscall.SETNS,
                        Syscall.MOUNT,
                        Syscall.UMOUNT2,
                        Syscall.PIVOT_ROOT,
                        Syscall.CHROOT,
                        Syscall.OPEN_TREE,
                        Syscall.MOVE_MOUNT,
                        Syscall.FSOPEN,
                        Syscall.FSCONFIG,
                        Syscall.FSMOUNT,
                        Syscall.FSPICK,
                        Syscall.MOUNT_SETATTR)
                .refuseIfAny(LinuxCalls.EPERM, Syscall.CLONE, 0, CLONE_NEW_ANY);
    }

    private static void addMachine(BpfProgram program) {
        program.refuse(
                LinuxCalls.EPERM,
                Syscall.REBOOT,
                Syscall.SWAPON,
                Syscall.SWAPOFF,
                Syscall.SETHOSTNAME,
                Syscall.SETDOMAINNAME,
                Syscall.IOPL,
                Syscall.IOPERM,
                Syscall.MODIFY_LDT,
                Syscall.INIT_MODULE,
                Syscall.FINIT_MODULE,
                Syscall.DELETE_MODULE,
                Syscall.KEXEC_LOAD,
                Syscall.KEXEC_FILE_LOAD,
                Syscall.ACCT,
                Syscall.QUOTACTL,
                Syscall.QUOTACTL_FD,
                Syscall.SYSLOG,
                Syscall.VHANGUP,
                Syscall.SETTIMEOFDAY,
                Syscall.CLOCK_SETTIME,
                Syscall.ADJTIMEX,
                Syscall.CLOCK_ADJTIME,
                Syscall.PERSONALITY,
                Syscall.USELIB,
                Syscall.SYSCTL,
                Syscall.LOOKUP_DCOOKIE,
                Syscall.NFSSERVCTL,
                Syscall.BPF,
                Syscall.PERF_EVENT_OPEN,
                Syscall.USERFAULTFD,
                Syscall.IO_URING_SETUP,
                Syscall.IO_URING_ENTER,
                Syscall.IO_URING_REGISTER,
                Syscall.ADD_KEY,
                Syscall.REQUEST_KEY,
                Syscall.KEYCTL,
                Syscall.FANOTIFY_INIT,
                Syscall.INOTIFY_ADD_WATCH, // tells of files that cannot be read
                Syscall.NAME_TO_HANDLE_AT,
                Syscall.OPEN_BY_HANDLE_AT,
                Syscall.MEMFD_SECRET);
    }

    private static void addNamedMemory(BpfProgram program) {
        program.refuse(
                LinuxCalls.EPERM,
                Syscall.SHMGET,
                Syscall.SHMAT,
                Syscall.SHMCTL,
                Syscall.SEMGET,
                Syscall.SEMOP,
                Syscall.SEMTIMEDOP,
                Syscall.SEMCTL,
                Syscall.MSGGET,
                Syscall.MSGSND,
                Syscall.MSGRCV,
                Syscall.MSGCTL,
                Syscall.MQ_OPEN,
                Syscall.MQ_UNLINK);
    }

    /** Also by descriptor: a file that may only be read can be opened, and its mode must not be changed then. */
    private static void addAttributes(BpfProgram program) {
        program.refuse(
                LinuxCalls.EPERM,
                Syscall.CHMOD,
                Syscall.FCHMOD,
                Syscall.FCHMODAT,
                Syscall.FCHMODAT2,
                Syscall.CHOWN,
                Syscall.LCHOWN,
                Syscall.FCHOWN,
                Syscall.FCHOWNAT,
                Syscall.SETXATTR,
                Syscall.LSETXATTR,
                Syscall.FSETXATTR,
                Syscall.REMOVEXATTR,
                Syscall.LREMOVEXATTR,
                Syscall.FREMOVEXATTR,
                Syscall.UTIME,
                Syscall.UTIMES,
                Syscall.FUTIMESAT,
                Syscall.UTIMENSAT,
                // Reading these needs no open file, so Landlock is not asked.
                Syscall.GETXATTR,
                Syscall.LGETXATTR,
                Syscall.LISTXATTR,
                Syscall.LLISTXATTR);
        if (Landlock.abi() < Landlock.ABI_TRUNCATE) {
            program.refuse(LinuxCalls.EPERM, Syscall.TRUNCATE);
        }
    }

    /** Limits, priorities and signals: of the own process only. */
    private static void addOtherProcesses(BpfProgram program) {
        program.refuseUnless(LinuxCalls.EPERM, Syscall.PRLIMIT64, 0, 0)
                .refuseUnless(LinuxCalls.EPERM, Syscall.SCHED_SETPARAM, 0, 0)
                .refuseUnless(LinuxCalls.EPERM, Syscall.SCHED_SETSCHEDULER, 0, 0)
                .refuseUnless(LinuxCalls.EPERM, Syscall.SCHED_SETAFFINITY, 0, 0)
                .refuseUnless(LinuxCalls.EPERM, Syscall.SCHED_SETATTR, 0, 0)
                .refuseUnlessBoth(LinuxCalls.EPERM, Syscall.SETPRIORITY, 0, 0, 1, 0)
                // A lease on a file that may be read makes others wait who want to write it.
                .refuseIf(LinuxCalls.EPERM, Syscall.FCNTL, 1, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY)
                .refuseUnless(LinuxCalls.ENOTTY, Syscall.IOCTL, 1, IOCTLS);
    }

    /** Sockets are TCP's or do not exist. Ports are Landlock's business, but for what goes around it. */
    private static void addNetwork(BpfProgram program, Confinement confinement) {
        // A connected pair without a name, which the JDK needs to close sockets; no datagrams, which could be
        // addressed.
        program.refuseSocketUnless(LinuxCalls.EACCES, Syscall.SOCKETPAIR, new int[] {AF_UNIX}, SOCK_STREAM, 0);
        if (confinement.hasNetwork()) {
            program.refuseSocketUnless(
                    LinuxCalls.EACCES, Syscall.SOCKET, new int[] {AF_INET, AF_INET6}, SOCK_STREAM, 0, IPPROTO_TCP);
        } else {
            program.refuse(LinuxCalls.EACCES, Syscall.SOCKET);
        }
        if (confinement.bind().isEmpty()) {
            // Listening without binding takes a free port, and no rule is asked; nor for the name that one of a
            // connected pair is given.
            program.refuse(LinuxCalls.EACCES, Syscall.LISTEN, Syscall.BIND);
        }
        if (confinement.connect().isEmpty()) {
            program.refuse(LinuxCalls.EACCES, Syscall.CONNECT);
        }
        // Sending can connect, and no rule is asked.
        program.refuseIfAny(LinuxCalls.EACCES, Syscall.SENDTO, 3, MSG_FASTOPEN)
                .refuseIfAny(LinuxCalls.EACCES, Syscall.SENDMSG, 2, MSG_FASTOPEN)
                .refuseIfAny(LinuxCalls.EACCES, Syscall.SENDMMSG, 3, MSG_FASTOPEN);
    }

    /** No new processes and no new programs, and signals to itself only. For a worker that may start nothing. */
    static byte[] lastStep() {
        return new BpfProgram()
                .refuse(LinuxCalls.EACCES, Syscall.EXECVE, Syscall.EXECVEAT, Syscall.FORK, Syscall.VFORK)
                .refuseUnlessAny(LinuxCalls.EACCES, Syscall.CLONE, 0, CLONE_THREAD)
                // It ends with its host.
                .refuseIf(LinuxCalls.EPERM, Syscall.PRCTL, 0, PR_SET_PDEATHSIG)
                .refuse(LinuxCalls.EPERM, Syscall.TKILL, Syscall.PIDFD_OPEN, Syscall.PIDFD_SEND_SIGNAL)
                .refuseUnless(LinuxCalls.EPERM, Syscall.KILL, 0, OWN_PID)
                .refuseUnless(LinuxCalls.EPERM, Syscall.TGKILL, 0, OWN_PID)
                .refuseUnless(LinuxCalls.EPERM, Syscall.RT_SIGQUEUEINFO, 0, OWN_PID)
                .refuseUnless(LinuxCalls.EPERM, Syscall.RT_TGSIGQUEUEINFO, 0, OWN_PID)
                .toBytes();
    }
}

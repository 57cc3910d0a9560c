package dev.knitting.memory;

/**
 * The system calls that a filter speaks of, with their numbers on x86-64 and on aarch64. A call that an architecture does
 * not have is -1 there. Host only: a worker gets finished filters.
 */
enum Syscall {
    // Other processes.
    PTRACE(101, 117),
    PROCESS_VM_READV(310, 270),
    PROCESS_VM_WRITEV(311, 271),
    PROCESS_MADVISE(440, 440),
    PROCESS_MRELEASE(448, 448),
    PIDFD_OPEN(434, 434),
    PIDFD_GETFD(438, 438),
    PIDFD_SEND_SIGNAL(424, 424),
    KCMP(312, 272),
    GET_ROBUST_LIST(274, 100),
    MIGRATE_PAGES(256, 238),
    MOVE_PAGES(279, 239),
    PRLIMIT64(302, 261),
    SCHED_SETPARAM(142, 118),
    SCHED_SETSCHEDULER(144, 119),
    SCHED_SETAFFINITY(203, 122),
    SCHED_SETATTR(314, 274),
    SETPRIORITY(141, 140),
    IOPRIO_SET(251, 30),
    KILL(62, 129),
    TKILL(200, 130),
    TGKILL(234, 131),
    RT_SIGQUEUEINFO(129, 138),
    RT_TGSIGQUEUEINFO(297, 240),
    PRCTL(157, 167),
    // New processes and programs.
    CLONE(56, 220),
    CLONE3(435, 435),
    FORK(57, -1),
    VFORK(58, -1),
    EXECVE(59, 221),
    EXECVEAT(322, 281),
    // Namespaces and mounts.
    UNSHARE(272, 97),
    SETNS(308, 268),
    MOUNT(165, 40),
    UMOUNT2(166, 39),
    PIVOT_ROOT(155, 41),
    CHROOT(161, 51),
    OPEN_TREE(428, 428),
    MOVE_MOUNT(429, 429),
    FSOPEN(430, 430),
    FSCONFIG(431, 431),
    FSMOUNT(432, 432),
    FSPICK(433, 433),
    MOUNT_SETATTR(442, 442),
    // The machine.
    REBOOT(169, 142),
    SWAPON(167, 224),
    SWAPOFF(168, 225),
    SETHOSTNAME(170, 161),
    SETDOMAINNAME(171, 162),
    IOPL(172, -1),
    IOPERM(173, -1),
    MODIFY_LDT(154, -1),
    INIT_MODULE(175, 105),
    FINIT_MODULE(313, 273),
    DELETE_MODULE(176, 106),
    KEXEC_LOAD(246, 104),
    KEXEC_FILE_LOAD(320, 294),
    ACCT(163, 89),
    QUOTACTL(179, 60),
    QUOTACTL_FD(443, 443),
    SYSLOG(103, 116),
    VHANGUP(153, 58),
    SETTIMEOFDAY(164, 170),
    CLOCK_SETTIME(227, 112),
    ADJTIMEX(159, 171),
    CLOCK_ADJTIME(305, 266),
    PERSONALITY(135, 92),
    USELIB(134, -1),
    SYSCTL(156, -1),
    LOOKUP_DCOOKIE(212, 18),
    NFSSERVCTL(180, 42),
    // Large surfaces that a JVM does not need.
    BPF(321, 280),
    PERF_EVENT_OPEN(298, 241),
    USERFAULTFD(323, 282),
    IO_URING_SETUP(425, 425),
    IO_URING_ENTER(426, 426),
    IO_URING_REGISTER(427, 427),
    ADD_KEY(248, 217),
    REQUEST_KEY(249, 218),
    KEYCTL(250, 219),
    FANOTIFY_INIT(300, 262),
    INOTIFY_ADD_WATCH(254, 27),
    NAME_TO_HANDLE_AT(303, 264),
    OPEN_BY_HANDLE_AT(304, 265),
    MEMFD_SECRET(447, 447),
    // Memory and messages with names of their own, outside every folder.
    SHMGET(29, 194),
    SHMAT(30, 196),
    SHMCTL(31, 195),
    SEMGET(64, 190),
    SEMOP(65, 193),
    SEMTIMEDOP(220, 192),
    SEMCTL(66, 191),
    MSGGET(68, 186),
    MSGSND(69, 189),
    MSGRCV(70, 188),
    MSGCTL(71, 187),
    MQ_OPEN(240, 180),
    MQ_UNLINK(241, 181),
    // Attributes of files, which Landlock leaves alone.
    CHMOD(90, -1),
    FCHMOD(91, 52),
    FCHMODAT(268, 53),
    FCHMODAT2(452, 452),
    CHOWN(92, -1),
    LCHOWN(94, -1),
    FCHOWN(93, 55),
    FCHOWNAT(260, 54),
    SETXATTR(188, 5),
    LSETXATTR(189, 6),
    FSETXATTR(190, 7),
    GETXATTR(191, 8),
    LGETXATTR(192, 9),
    LISTXATTR(194, 11),
    LLISTXATTR(195, 12),
    REMOVEXATTR(197, 14),
    LREMOVEXATTR(198, 15),
    FREMOVEXATTR(199, 16),
    UTIME(132, -1),
    UTIMES(235, -1),
    FUTIMESAT(261, -1),
    UTIMENSAT(280, 88),
    TRUNCATE(76, 45),
    // Network.
    SOCKET(41, 198),
    SOCKETPAIR(53, 199),
    BIND(49, 200),
    LISTEN(50, 201),
    CONNECT(42, 203),
    SENDTO(44, 206),
    SENDMSG(46, 211),
    SENDMMSG(307, 269),
    // Signals by way of files.
    FCNTL(72, 25),
    IOCTL(16, 29);

    private static final boolean IS_ARM = "aarch64".equals(System.getProperty("os.arch"));

    private final int x86;
    private final int arm;

    Syscall(int x86, int arm) {
        this.x86 = x86;
        this.arm = arm;
    }

    /** Its number on this machine, or -1. */
    int number() {
        return IS_ARM ? arm : x86;
    }

    /** The {@code AUDIT_ARCH_*} value of this machine. */
    static int architecture() {
        return IS_ARM ? 0xC00000B7 : 0xC000003E;
    }

    /** Whether numbers above 2^30 are a second ABI (x32) of this machine. */
    static boolean hasX32() {
        return !IS_ARM;
    }
}

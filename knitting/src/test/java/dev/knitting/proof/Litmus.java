package dev.knitting.proof;

/**
 * What two processes do to each other in a round, with the accessors of the library; and broken twins of it, each of which
 * lacks one order. An actor does one side's part of one round and says what it saw; the two sayings together are allowed
 * or forbidden.
 */
enum Litmus {
    /** Store buffering, pair 1 of the memory model: publish, fence, look at the bell; arm, fence, look at the mailbox. */
    BELL_FULL_FENCES,
    /** The same where only the sleeper pays: the kernel's barrier. */
    BELL_BARRIER,
    /** Twin: the publisher has no fence but the compiler's, and the sleeper no barrier. */
    BELL_NO_PUBLISHER_FENCE,
    /** Twin: the sleeper arms with release and has no fence; the publisher has a full one. */
    BELL_NO_SLEEPER_FENCE,

    /** Message passing, edge [published], both ways at a time. */
    MESSAGE,
    /** Twin: the sequence is stored before the words, as the lack of the release would allow. */
    MESSAGE_SEQUENCE_FIRST,
    /** Twin: all is plain. What hardware with x86's order does not show, and what a compiler need not do. */
    MESSAGE_PLAIN,

    /** Claims of TICKET. */
    TICKET,
    /** Twin: load and store in place of the compare-and-set. */
    TICKET_LOAD_AND_STORE,

    /** Claims of DEKKER, pair 14. */
    DEKKER,
    /** Twin: no fence between the own want and the look at the other's. */
    DEKKER_NO_FENCE;

    /** Nothing to see, or not claimed. */
    static final int NOTHING = 0;
    /** Seen whole, or claimed. */
    static final int SEEN = 1;
    /** Seen, but not whole. */
    static final int TORN = 2;

    /** Sides, and numbers of workers. */
    static final int HOST = 0;

    static final int CHILD = 1;

    /** One side's part. */
    interface Actor {
        /** Before each round: may look at lines, so that both sides have them and a store to them takes its time. */
        default void prepare() {}

        /** Does its part of a round, numbered from 0; what it saw. */
        int round(long round);
    }

    Actor actor(LitmusArea area, int side) {
        return switch (this) {
            case BELL_FULL_FENCES, BELL_BARRIER, BELL_NO_PUBLISHER_FENCE, BELL_NO_SLEEPER_FENCE ->
                side == HOST ? LitmusActors.publisher(area, this) : LitmusActors.sleeper(area, this);
            case MESSAGE, MESSAGE_SEQUENCE_FIRST, MESSAGE_PLAIN -> new LitmusMessages(area, side, this);
            case TICKET, TICKET_LOAD_AND_STORE, DEKKER, DEKKER_NO_FENCE -> new LitmusClaims(area, side, this);
        };
    }

    /** Whether these two sayings must not come together. */
    boolean isForbidden(int host, int child) {
        return switch (this) {
            case BELL_FULL_FENCES, BELL_BARRIER, BELL_NO_PUBLISHER_FENCE, BELL_NO_SLEEPER_FENCE ->
                host == NOTHING && child == NOTHING; // published, armed, and neither sees the other: a lost wake-up
            case MESSAGE, MESSAGE_SEQUENCE_FIRST, MESSAGE_PLAIN -> host == TORN || child == TORN;
            case TICKET, TICKET_LOAD_AND_STORE, DEKKER, DEKKER_NO_FENCE ->
                host == TORN || child == TORN || host + child != 1; // once, by one
        };
    }
}

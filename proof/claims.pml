/*
 * Claims of a submit mailbox that several workers serve, discipline TICKET; its bells; death and stop of workers.
 *
 * Producers, workers and the host's recovery take one step at a time here, as they do in Java between two accesses to
 * shared memory. Each step names its method. What is checked:
 *   - a call is entered at most once                                      (assert in worker)
 *   - the words that a worker read are those of the call that it claimed  (assert in worker)
 *   - a call settles once; none is reported lost that was not claimed     (assert in settle, recovery)
 *   - no call, slot or wake-up is lost, nothing deadlocks                 (judge: when nothing moves any more, every call
 *     is settled, but for those that a stopped worker has claimed)
 *
 * One worker may be killed at any step (KILL) and have a successor with its number (REPLACE), another one stopped for
 * ever at any step (STOP). With STOP sleepers wake by
 * themselves, as they do after their park time: a wake-up may have gone to the one that is stopped. Without STOP they
 * do not, so that a lost wake-up shows.
 *
 * With NEVER_THROWS no producer throws between ticket and publication, which makes the world smaller.
 *
 * Each BROKEN_ variant leaves out one rule and must fail; ClaimModelTest runs all of them.
 */
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef EACH
#define EACH 2          /* calls of each producer */
#endif
#define CALLS (PRODUCERS * EACH)
#define SLOTS 2
#define NOBODY 0        /* claimants count from 1 */
#define SLOT(t) ((t) % SLOTS)
#define LAP(t) ((t) / SLOTS)

/* shared memory: SlotLayout, SharedMailboxLayout */
byte sequence[SLOTS];   /* position + 1 */
byte callId[SLOTS];     /* the words of the slot */
bool isVoid[SLOTS];
byte claimLap[SLOTS];   /* ClaimWord: the next lap, and who claimed last */
byte claimOwner[SLOTS];
bool armed[WORKERS];    /* BellWord */
bool result[WORKERS * CALLS];
byte pending;            /* results in return mailboxes */

/* the host's heap: SubmitMailbox, SharedMailbox */
byte next;              /* TicketCounter.next */
bool written[CALLS];    /* TicketCounter.published */
bool inTable[CALLS];
byte noted[CALLS];
bool wasVoid[CALLS];
bool settled[CALLS];
bool closed[WORKERS];   /* Lane.close */
byte outstanding;

/* what the world does */
bool dead[WORKERS + 1];  /* a life is a worker's incarnation, the last one is the successor's */
bool stopped[WORKERS];
bool recovered[WORKERS];
byte entered[CALLS];
bool killed;

#define CLAIMED(t) (claimLap[SLOT(t)] > LAP(t))

inline settle(t) {
    assert(!settled[t]);
    settled[t] = true;
    inTable[t] = false;
    outstanding--
}

/* SharedMailbox.ring: one sleeper, if those awake are not enough */
inline ring(w, awake, sleeper) {
    d_step {
        awake = 0; sleeper = WORKERS;
        w = 0;
        do
        :: w < WORKERS ->
            if
            :: closed[w] -> skip
            :: !closed[w] && armed[w] -> sleeper = w
            :: !closed[w] && !armed[w] -> awake++
            fi;
            w++
        :: else -> break
        od;
        if
        :: sleeper < WORKERS && outstanding > awake -> armed[sleeper] = false   /* BellWord.tryRing, wake */
        :: else -> skip
        fi;
        w = 0; awake = 0; sleeper = 0
    }
}

/* SharedMailbox.ringAll */
inline ring_all(w) {
    d_step {
        w = 0;
        do
        :: w < WORKERS -> armed[w] = false; w++
        :: else -> break
        od;
        w = 0
    }
}

proctype producer() {
    byte t, left = EACH, w, awake, sleeper;
    byte before;
    bool free;
    do
    :: left == 0 -> break
    :: left > 0 ->
        /* SubmitMailbox.claim: look, then take; SharedMailbox.isSlotFree */
        t = next;
#ifdef BROKEN_NO_FREE_CHECK
        free = true;
#else
        atomic {
            if
            :: t < SLOTS -> free = true
            :: t >= SLOTS && !written[t - SLOTS] -> free = false
            :: t >= SLOTS && written[t - SLOTS] -> free = (!wasVoid[t - SLOTS] && !inTable[t - SLOTS]) || CLAIMED(t - SLOTS)
            fi
        };
#endif
        if
        :: !free -> (next != t || (t >= SLOTS && written[t - SLOTS] && ((!wasVoid[t - SLOTS] && !inTable[t - SLOTS]) || CLAIMED(t - SLOTS))))
            /* full: the call waits in the host's queue until something has changed */
        :: free ->
            if
            :: atomic { next == t -> next = t + 1; outstanding++ };   /* TicketCounter.tryTake */
                left--;
#ifndef BROKEN_NO_NOTE
                /* SharedMailbox.taken */
                if
                :: t >= SLOTS && inTable[t - SLOTS] -> noted[t - SLOTS] = claimOwner[SLOT(t)]
                :: else -> skip
                fi;
#endif
                inTable[t] = true;
                if
                :: callId[SLOT(t)] = t;     /* MailboxWriter.publish: words, then sequence */
                    isVoid[SLOT(t)] = false;
                    sequence[SLOT(t)] = t + 1;
                    written[t] = true
#ifndef NEVER_THROWS
                :: /* it throws in between: SubmitMailbox.abandon, and the call fails */
                    atomic { settle(t); wasVoid[t] = true };
#ifndef BROKEN_NO_VOID
                    callId[SLOT(t)] = 255;
                    isVoid[SLOT(t)] = true;
                    sequence[SLOT(t)] = t + 1;
#endif
                    written[t] = true;
#ifndef BROKEN_VOID_RINGS_NOBODY
                    ring_all(w)                 /* SharedMailbox.voided */
#endif
#endif
                fi;
                ring(w, awake, sleeper)
            :: next != t -> skip
            fi
        fi
    od
}

proctype worker(byte me; byte life) provided (!stopped[me]) {
    byte at, id, seen;
    bool got, nothing;
    {
    do
    :: /* ClaimReader.seek */
        if
        :: sequence[SLOT(at)] < at + 1 -> nothing = true
        :: sequence[SLOT(at)] > at + 1 -> nothing = false;
            at = (sequence[SLOT(at)] - SLOTS > at + 1 -> sequence[SLOT(at)] - SLOTS : at + 1);
            goto again
        :: sequence[SLOT(at)] == at + 1 -> nothing = false;
            if
            :: CLAIMED(at) -> at++; goto again
            :: else -> skip
            fi
        fi;
        if
        :: nothing ->
            /* WorkerIdle.sleep: arm, fence, look again, sleep */
#ifndef BROKEN_LOOK_BEFORE_ARMING
            armed[me] = true;
#endif
            if
            :: sequence[SLOT(at)] >= at + 1 -> armed[me] = false
            :: else ->
#ifdef BROKEN_LOOK_BEFORE_ARMING
                armed[me] = true;
#endif
                if
                :: !armed[me] -> skip               /* rung */
#ifdef STOP
                :: sequence[SLOT(at)] >= at + 1 -> armed[me] = false    /* its park time is over */
#endif
                fi
            fi
        :: !nothing ->
            id = callId[SLOT(at)];                  /* WorkerLoop.serve: words first */
            got = isVoid[SLOT(at)];
            if
            :: got -> id = 255
            :: else -> skip
            fi;
            /* TicketReader.tryClaim */
#ifdef BROKEN_LOAD_AND_STORE
            seen = claimLap[SLOT(at)];
            got = (seen <= LAP(at));
            if
            :: got -> d_step { claimLap[SLOT(at)] = LAP(at) + 1; claimOwner[SLOT(at)] = me + 1 }
            :: else -> skip
            fi;
#else
            d_step {
                if
                :: claimLap[SLOT(at)] <= LAP(at) ->
                    claimLap[SLOT(at)] = LAP(at) + 1;
                    claimOwner[SLOT(at)] = me + 1;
                    got = true
                :: else -> got = false
                fi
            };
#endif
            if
            :: got && id != 255 ->
                assert(id == at);
                entered[id]++;
                assert(entered[id] == 1);
                atomic { result[me * CALLS + id] = true; pending++ }    /* MailboxWriter.publishWord of the result */
            :: else -> skip
            fi;
            at++
        fi;
again:  at = at
    od
    } unless { dead[life] }
}

/* Completion.drainOnce: one lane at a time, under its drain lock */
proctype drainer() {
    byte at;
    do
    :: atomic {
        pending > 0 ->
        at = 0;
        do
        :: result[at] -> break
        :: else -> at++
        od;
        result[at] = false;
        pending--;
        settle(at % CALLS);
        at = 0
      }
    od
}

/* Supervisor.ended, Recovery.ofWorker, SharedMailbox.takeClaimedBy */
proctype recovery() {
    byte w, t, owner;
    killed;
    w = 0;
    do
    :: w < WORKERS && dead[w] -> break
    :: w < WORKERS && !dead[w] -> w++
    od;
    closed[w] = true;
#ifdef BROKEN_REPLACED_BEFORE_RECOVERED
    armed[w] = false;
    closed[w] = false;
    run worker(w, WORKERS);
#endif
    t = 0;
    do
    :: t < CALLS ->                                 /* Lane.drainPublished */
        atomic {
            if
            :: result[w * CALLS + t] -> result[w * CALLS + t] = false; pending--; settle(t)
            :: else -> skip
            fi;
            t++
        }
    :: else -> break
    od;
    t = 0;
    do
    :: t < CALLS ->
        if
        :: inTable[t] && CLAIMED(t) ->              /* SharedMailbox.claimantOf */
            atomic {
                owner = (claimLap[SLOT(t)] == LAP(t) + 1 -> claimOwner[SLOT(t)] : noted[t])
            };
            if
            :: atomic { owner == w + 1 && inTable[t] ->
                assert(entered[t] <= 1);
#ifdef BROKEN_RUN_AGAIN
                /* back to the queue, as if it had not been entered */
                claimLap[SLOT(t)] = LAP(t)
#else
                settle(t)
#endif
               }
            :: else -> skip
            fi
        :: else -> skip
        fi;
        t++
    :: else -> break
    od;
#ifndef BROKEN_NO_RING_AFTER_DEATH
    skip;
    d_step {                                        /* Dispatcher.wakeOthers */
        t = 0;
        do
        :: t < WORKERS -> armed[t] = false; t++
        :: else -> break
        od
    };
#endif
#ifdef REPLACE
#ifndef BROKEN_REPLACED_BEFORE_RECOVERED
    armed[w] = false;                               /* LaneView.resetForIncarnation, Dispatcher.replace */
    closed[w] = false;
    run worker(w, WORKERS);
#endif
#endif
    recovered[w] = true
}

proctype killer() {
    byte w;
    select(w : 0 .. WORKERS - 1);
    atomic { dead[w] = true; killed = true }
}

proctype stopper() {
    byte w;
    select(w : 0 .. WORKERS - 1);
    stopped[w] = true
}

/* When nothing moves any more. */
proctype judge() {
    byte t, w;
    bool excused;
    timeout;
    t = 0;
    do
    :: t < CALLS ->
        excused = false;
        if
        :: inTable[t] && CLAIMED(t) ->
            w = (claimLap[SLOT(t)] == LAP(t) + 1 -> claimOwner[SLOT(t)] : noted[t]);
            excused = (w > 0 && stopped[w - 1])
        :: else -> skip
        fi;
        assert(settled[t] || excused);
        t++
    :: else -> break
    od;
    assert(next == CALLS)
}

init {
    byte i;
    atomic {
        i = 0;
        do
        :: i < WORKERS -> run worker(i, i); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < PRODUCERS -> run producer(); i++
        :: else -> break
        od;
        run drainer();
        run judge();
#ifdef KILL
        run killer();
        run recovery();
#endif
#ifdef STOP
        run stopper();
#endif
        i = 0
    }
}

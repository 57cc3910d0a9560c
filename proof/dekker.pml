/*
 * Claims of a submit mailbox that several workers serve, discipline DEKKER: loads and stores alone. All calls are published
 * (how they are is in claims.pml); what is modelled here is DekkerReader, the death of a worker at any step, its
 * replacement by a new incarnation, and a worker that is stopped for ever at any step. What is checked:
 *   - a call is entered at most once, and settles once                    (assert)
 *   - no call stays unclaimed, nothing deadlocks                          (judge: when nothing moves any more, each call is
 *     settled, but for what a stopped worker has claimed or keeps others from)
 *
 * Each BROKEN_ variant leaves out one rule and must fail; ClaimModelTest runs all of them. Spin's memory is sequentially
 * consistent: what a missing fence allows, a load before an earlier store, is written as that order.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CALLS
#define CALLS 3
#endif
#define REGION(t) ((t) / 2 + 1)
#define WANTED(o, r) (want[o] == (r) && COUNTS(o))
#ifdef BROKEN_THE_DEAD_COUNT
#define COUNTS(o) true
#else
#define COUNTS(o) live[o]
#endif

/* shared memory: SharedMailboxLayout */
byte want[WORKERS];
bool live[WORKERS];
byte claimedBy[CALLS];      /* ClaimWord; claimants count from 1 */

/* the host's heap */
bool settled[CALLS];

/* what the world does; a life is a worker's incarnation, the last one is the replacement */
bool dead[WORKERS + 1];
bool stopped[WORKERS];
byte entered[CALLS];
bool killed;

inline settle(t) {
    assert(!settled[t]);
    settled[t] = true
}

proctype worker(byte me; byte life) provided (!stopped[me]) {
    byte at, other, region;
    bool alone, givenUp;
    {
    do
    :: at == CALLS -> break
    :: at < CALLS && claimedBy[at] != 0 -> at++         /* ClaimReader.seek */
    :: at < CALLS && claimedBy[at] == 0 ->
        region = REGION(at);
#ifndef BROKEN_NO_FENCE
        want[me] = region;                              /* DekkerReader.tryClaim: my want, fence, the others' wants */
#endif
        alone = true;
        other = 0;
        do                                              /* DekkerReader.isAlone */
        :: other == WORKERS || !alone -> break
        :: alone && other < WORKERS && other == me -> other++
#ifdef BROKEN_IGNORES_SENIORS
        :: alone && other < me -> other++
#else
        :: alone && other < me ->
            if
            :: WANTED(other, region) -> alone = false
            :: else -> other++
            fi
#endif
        :: alone && other > me && other < WORKERS ->    /* DekkerReader.isLeftBy */
#ifdef BROKEN_IGNORES_JUNIORS
            other++
#else
            if
            :: !WANTED(other, region) -> other++
            :: WANTED(other, region) && !givenUp -> alone = false; givenUp = true   /* MOST_SPINS; once is enough here */
            fi
#endif
        od;
#ifdef BROKEN_NO_FENCE
        want[me] = region;
#endif
        if
        :: alone ->
            if                                          /* DekkerReader.tryStore */
#ifndef BROKEN_DOES_NOT_LOOK_AGAIN
            :: claimedBy[at] != 0 -> want[me] = 0
            :: claimedBy[at] == 0 ->
#else
            :: true ->
#endif
#ifdef BROKEN_STOPS_WANTING_FIRST
                want[me] = 0;
                claimedBy[at] = me + 1;
#else
                claimedBy[at] = me + 1;
                want[me] = 0;
#endif
                entered[at]++;                          /* WorkerLoop.serve: runs */
                assert(entered[at] == 1);
                atomic { settle(at) }                   /* the result is drained */
            fi;
            at++
        :: !alone ->
            want[me] = 0;
            if                                          /* looks again, which changes nothing before somebody else has moved */
            :: other < me -> !WANTED(other, region)
            :: else -> skip
            fi
        fi
    od
    } unless { dead[life] }
}

/* Supervisor.ended: the claimant counts no more, what it had claimed is taken, a new incarnation starts */
proctype recovery() {
    byte w, t;
    killed;
    w = 0;
    do
    :: w < WORKERS && dead[w] -> break
    :: w < WORKERS && !dead[w] -> w++
    od;
#ifndef BROKEN_ENDED_BEFORE_IT_IS_DEAD
    live[w] = false;                                    /* ClaimView.endedVolatile */
#endif
#ifdef BROKEN_REPLACED_BEFORE_RECOVERED
    want[w] = 0;
    live[w] = true;
    run worker(w, WORKERS);
#endif
    t = 0;
    do
    :: t < CALLS ->                                     /* SharedMailbox.takeClaimedBy */
        atomic {
            if
            :: claimedBy[t] == w + 1 && !settled[t] -> settle(t)
            :: else -> skip
            fi
        };
        t++
    :: else -> break
    od;
#ifndef BROKEN_REPLACED_BEFORE_RECOVERED
#ifdef REPLACE
    want[w] = 0;                                        /* ClaimView.liveVolatile */
    live[w] = true;
    run worker(w, WORKERS);
#endif
#endif
    skip
}

proctype killer() {
    byte w;
    select(w : 0 .. WORKERS - 1);
#ifdef BROKEN_ENDED_BEFORE_IT_IS_DEAD
    live[w] = false;                                    /* it was told to end, and its end was not awaited */
#endif
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
    bool excused, held;
    timeout;
    w = 0;
    do
    :: w < WORKERS ->
#ifndef BROKEN_STOPPED_KEEPS_NOBODY
        held = held || (stopped[w] && want[w] != 0);    /* claims are made in order: it keeps others from all that follows */
#endif
        w++
    :: else -> break
    od;
    t = 0;
    do
    :: t < CALLS ->
        excused = (claimedBy[t] == 0 && held) || (claimedBy[t] != 0 && stopped[claimedBy[t] - 1]);
        assert(settled[t] || excused);
        t++
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        i = 0;
        do
        :: i < WORKERS -> live[i] = true; run worker(i, i); i++
        :: else -> break
        od;
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

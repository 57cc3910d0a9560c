package dev.knitting.cli.chaos;

import dev.knitting.Discipline;
import dev.knitting.Stealing;
import dev.knitting.TuningOptions;

/** Which submit mailbox the workers of a run serve. */
enum Mailbox {
    /** Each its own. */
    PRIVATE(Stealing.OFF, Discipline.TICKET),
    /** All the same one, by discipline TICKET. */
    TICKET(Stealing.ON, Discipline.TICKET),
    /** All the same one, by discipline DEKKER. */
    DEKKER(Stealing.ON, Discipline.DEKKER);

    private final Stealing stealing;
    private final Discipline discipline;

    Mailbox(Stealing stealing, Discipline discipline) {
        this.stealing = stealing;
        this.discipline = discipline;
    }

    TuningOptions of(TuningOptions tuning) {
        return tuning.stealing(stealing).discipline(discipline);
    }
}

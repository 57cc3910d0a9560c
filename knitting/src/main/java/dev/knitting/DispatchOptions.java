package dev.knitting;

import org.jspecify.annotations.Nullable;

/**
 * Who gives calls to whom. Made by {@link TuningOptions}.
 *
 * @param stealing whether all workers serve one submit mailbox
 * @param discipline how they share it
 * @param balancer how the host chooses if they do not; null if nothing was chosen: {@link Balancer#LEAST_LOADED}
 * @param inliner how the host takes part, or null if it does not
 */
public record DispatchOptions(
        Stealing stealing,
        Discipline discipline,
        @Nullable Balancer balancer,
        @Nullable Inliner inliner) {
    static final DispatchOptions DEFAULTS = new DispatchOptions(Stealing.AUTO, Discipline.TICKET, null, null);

    DispatchOptions withStealing(Stealing whether) {
        return new DispatchOptions(whether, discipline, balancer, inliner);
    }

    DispatchOptions withDiscipline(Discipline how) {
        return new DispatchOptions(stealing, how, balancer, inliner);
    }

    DispatchOptions withBalancer(Balancer how) {
        return new DispatchOptions(stealing, discipline, how, inliner);
    }

    DispatchOptions withInliner(Inliner how) {
        return new DispatchOptions(stealing, discipline, balancer, how);
    }

    /** Whether the user chose something that a shared mailbox would make void. */
    boolean isChosen() {
        return balancer != null || inliner != null;
    }

    /** Refuses stealing where it cannot be. */
    void check(int workers, int spares, boolean segmentPerWorker) {
        if (stealing != Stealing.ON) {
            return;
        }
        String option = "tuning.stealing";
        if (segmentPerWorker) {
            throw PoolOptions.contradiction(option, stealing, "segmentPerWorker", true);
        }
        if (balancer != null) {
            throw PoolOptions.contradiction(option, stealing, "tuning.balancer", balancer);
        }
        if (inliner != null) {
            throw PoolOptions.contradiction(option, stealing, "tuning.inliner", inliner);
        }
        if (workers + spares > Stealing.MOST_WORKERS) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "too many workers for one mailbox",
                    "option",
                    option,
                    "workers",
                    workers,
                    "spares",
                    spares,
                    "limit",
                    Stealing.MOST_WORKERS);
        }
    }
}

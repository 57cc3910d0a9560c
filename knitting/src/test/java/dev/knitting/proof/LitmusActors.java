package dev.knitting.proof;

import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.BellWord;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.memory.SharedWords;

/** Publisher and sleeper of the store-buffering litmus. */
final class LitmusActors {
    private LitmusActors() {}

    /** Publishes a call, fences, looks at the bell: as {@code Bell.published}. */
    static Litmus.Actor publisher(LitmusArea area, Litmus litmus) {
        MailboxWriter writer = new MailboxWriter(area.shared, SharedMailboxLayout.SLOTS_OFFSET);
        boolean compilerOnly = litmus == Litmus.BELL_BARRIER || litmus == Litmus.BELL_NO_PUBLISHER_FENCE;
        return round -> {
            writer.publishWord(round, round, 0, round);
            BellFence.publisher(compilerOnly);
            return BellWord.isArmedOpaque(area.memory, LitmusArea.bellOf(round)) ? Litmus.SEEN : Litmus.NOTHING;
        };
    }

    /** Arms, fences, looks at the mailbox: as {@code WorkerIdle.sleep}. */
    static Litmus.Actor sleeper(LitmusArea area, Litmus litmus) {
        MailboxReader reader = new MailboxReader(area.shared, SharedMailboxLayout.SLOTS_OFFSET, 0);
        boolean broken = litmus == Litmus.BELL_NO_SLEEPER_FENCE;
        return round -> {
            long bell = LitmusArea.bellOf(round);
            if (broken) {
                SharedWords.setIntRelease(area.memory, bell, BellWord.ARMED);
            } else {
                BellWord.armVolatile(area.memory, bell);
                BellFence.sleeper(litmus == Litmus.BELL_BARRIER);
            }
            int seen = reader.isEmpty() ? Litmus.NOTHING : Litmus.SEEN;
            reader.advance();
            BellWord.disarmRelease(area.memory, LitmusArea.distantBell(round));
            return seen;
        };
    }
}

package dev.knitting.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.knitting.KnittingException;
import dev.knitting.jcstress.Areas;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Edges of a segment's header and table of tasks. In this package, for methods that take memory of any origin. */
public final class HeaderTests {
    private static final SegmentHeader HEADER = new SegmentHeader(
            SegmentHeaderLayout.DISCIPLINE_TICKET, 1, new ProcessIdentity(7, 7), 2, 0, 7, 4096, 4096, 8192, 4096);

    private HeaderTests() {}

    /** Memory without a header. */
    abstract static class Memory {
        final MemorySegment area = Areas.take();

        Memory() {
            area.asSlice(0, 128).fill((byte) 0);
        }

        int look() {
            if (SharedWords.getIntAcquire(area, SegmentHeaderLayout.LAYOUT_VERSION_OFFSET) == 0) {
                return 0;
            }
            try {
                return SegmentHeaderView.attach(area).laneStridePlain() == 4096 ? 1 : 2;
            } catch (KnittingException e) {
                return 2;
            }
        }
    }

    /** [header-complete]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[header-complete] a half header")
    @State
    public static class HeaderComplete extends Memory {
        @Actor
        public void host() {
            SegmentHeaderView.write(area, HEADER);
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = look();
        }
    }

    /** [header-complete] with the version stored first. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "a half header")
    @State
    public static class HeaderVersionFirstTwin extends Memory {
        @Actor
        public void host() {
            SharedWords.setIntRelease(
                    area, SegmentHeaderLayout.LAYOUT_VERSION_OFFSET, SegmentHeaderLayout.LAYOUT_VERSION);
            SegmentHeaderView.write(area, HEADER);
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = look();
        }
    }

    /** An empty table; the entry is written as {@link TaskTable} does, which needs a segment. */
    abstract static class Table {
        final MemorySegment area = Areas.take();
        final TaskTableReader reader = new TaskTableReader(area, 0, 4096);

        Table() {
            area.asSlice(0, 256).fill((byte) 0);
        }

        void writeEntry() {
            SharedWords.setIntPlain(area, TaskTableLayout.ENTRIES_OFFSET, 8);
            SharedWords.setIntPlain(area, TaskTableLayout.ENTRIES_OFFSET + TaskTableLayout.LENGTH_BYTES + 4, 7);
        }

        void publishCount() {
            SharedWords.setIntRelease(area, TaskTableLayout.COUNT_OFFSET, 1);
        }

        int look() {
            if (reader.countAcquire() == 0) {
                return 0;
            }
            byte[] entry = reader.read(0);
            return entry.length == 8 && (entry[4] == 7 || entry[7] == 7) ? 1 : 2;
        }
    }

    /** [task-announced]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[task-announced] half an entry")
    @State
    public static class TaskAnnounced extends Table {
        @Actor
        public void host() {
            writeEntry();
            publishCount();
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = look();
        }
    }

    /** [task-announced] before the entry. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "half an entry")
    @State
    public static class TaskCountFirstTwin extends Table {
        @Actor
        public void host() {
            publishCount();
            writeEntry();
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = look();
        }
    }
}

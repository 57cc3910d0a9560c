package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.memory.SegmentHeaderLayout;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of {@code docs/protocol.md} show the layouts as they are. */
class ProtocolTablesTest {
    private static final Pattern ROW = Pattern.compile("\\| ([\\d,]+) \\| ([\\d,]+) \\| ([^|]+?) \\|.*");
    private static final Pattern NAME = Pattern.compile("[a-z][A-Za-z]*(?:\\d)?");

    /** Fields of a table, each with its offset; a row may name several that lie side by side. */
    private static Map<String, Long> documented(String heading, StructLayout layout) throws IOException {
        Map<String, Long> fields = new LinkedHashMap<>();
        for (Matcher row : rows(heading)) {
            long offset = number(row.group(1));
            long end = offset + number(row.group(2));
            boolean known = false;
            for (String name : names(row.group(3), layout)) {
                fields.put(name, offset);
                offset += layout.select(PathElement.groupElement(name)).byteSize();
                known = true;
            }
            if (known) {
                assertThat(offset).as("%s: end of %s", heading, row.group(3)).isEqualTo(end);
            }
        }
        return fields;
    }

    private static List<Matcher> rows(String heading) throws IOException {
        List<Matcher> rows = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Checkout.ROOT.resolve("docs/protocol.md"))) {
            if (line.startsWith("#")) {
                inside = line.equals(heading);
            }
            Matcher row = ROW.matcher(line);
            if (inside && row.matches()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }

    private static List<String> names(String cell, StructLayout layout) {
        String spelledOut = cell.replace("word0 to word3", "word0, word1, word2, word3");
        return NAME.matcher(spelledOut)
                .results()
                .map(match -> match.group())
                .filter(name -> actual(layout).containsKey(name))
                .toList();
    }

    private static Map<String, Long> actual(StructLayout layout) {
        Map<String, Long> fields = new LinkedHashMap<>();
        for (MemoryLayout member : layout.memberLayouts()) {
            member.name().ifPresent(name -> fields.put(name, layout.byteOffset(PathElement.groupElement(name))));
        }
        return fields;
    }

    @Test
    void header_table_isTheLayout() throws IOException {
        assertThat(documented("### Header", SegmentHeaderLayout.LAYOUT)).isEqualTo(actual(SegmentHeaderLayout.LAYOUT));
    }

    @Test
    void lane_table_isTheLayout() throws IOException {
        assertThat(documented("## Lane", LaneLayout.LAYOUT)).isEqualTo(actual(LaneLayout.LAYOUT));
    }

    @Test
    void lane_table_showsWhereMailboxesAndArenasLie() throws IOException {
        Map<String, Long> found = new LinkedHashMap<>();
        rows("## Lane").forEach(row -> found.put(row.group(3), number(row.group(1))));
        assertThat(found)
                .containsEntry("submit mailbox", LaneLayout.SUBMIT_OFFSET)
                .containsEntry("return mailbox", LaneLayout.RETURN_OFFSET);
        assertThat(Files.readString(Checkout.ROOT.resolve("docs/protocol.md")))
                .contains("| %,d | ceiling | submit arena |".formatted(LaneLayout.ARENAS_OFFSET));
    }

    @Test
    void slot_table_isTheLayout() throws IOException {
        assertThat(documented("## Slot", SlotLayout.LAYOUT)).isEqualTo(actual(SlotLayout.LAYOUT));
    }
}

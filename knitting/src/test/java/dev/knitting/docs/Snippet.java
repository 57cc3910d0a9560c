package dev.knitting.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One block of Java in a document.
 *
 * <p>A block is a whole compilation unit, unless a comment right before it says how to wrap it: {@code <!-- snippet:
 * wrap=members -->} puts it into a class, {@code <!-- snippet: wrap=statements -->} into the main method of one. What a
 * class with a main method prints is the text block that comes next, if the next block is one.
 *
 * @param document the file
 * @param line where the block starts, from 1
 * @param className the class that the unit declares
 * @param source the compilation unit
 * @param output what it prints, or null if the document does not say
 */
record Snippet(
        Path document,
        int line,
        String className,
        String source,
        @Nullable String output) {
    private static final Pattern COMMENT = Pattern.compile("<!-- snippet: wrap=(members|statements) -->");
    private static final Pattern CLASS_NAME = Pattern.compile("(?:class|record|interface) (\\w+)");
    private static final String IMPORTS =
            "import dev.knitting.*;\nimport java.nio.file.*;\nimport java.time.*;\nimport java.util.*;\n";

    private record Block(int line, String language, String wrap, String text) {}

    boolean hasMain() {
        return source.contains("static void main(");
    }

    @Override
    public String toString() {
        return Checkout.ROOT.relativize(document) + ":" + line;
    }

    /** The Java blocks of a document, in order. */
    static List<Snippet> of(Path document) throws IOException {
        List<Block> blocks = blocks(document);
        List<Snippet> snippets = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            if (block.language.equals("java")) {
                boolean shows =
                        i + 1 < blocks.size() && blocks.get(i + 1).language.equals("text");
                String output = shows ? blocks.get(i + 1).text.strip() : null;
                snippets.add(of(document, block, output));
            }
        }
        return snippets;
    }

    private static Snippet of(Path document, Block block, @Nullable String output) {
        if (block.wrap.isEmpty()) {
            Matcher name = CLASS_NAME.matcher(block.text);
            if (!name.find()) {
                throw new IllegalStateException("no class and no wrap comment: " + document + ":" + block.line);
            }
            return new Snippet(document, block.line, name.group(1), block.text, output);
        }
        String className = "SnippetAtLine" + block.line;
        String body = block.wrap.equals("members")
                ? block.text
                : "public static void main(String[] args) throws Exception {\n" + block.text + "\n}";
        String source = IMPORTS + "public final class " + className + " {\n" + body + "\n}\n";
        return new Snippet(document, block.line, className, source, output);
    }

    private static List<Block> blocks(Path document) throws IOException {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = Files.readAllLines(document);
        String wrap = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            Matcher comment = COMMENT.matcher(line);
            if (comment.matches()) {
                wrap = comment.group(1);
            } else if (line.startsWith("```")) {
                int first = i + 1;
                StringBuilder text = new StringBuilder();
                while (!lines.get(++i).strip().equals("```")) {
                    text.append(lines.get(i)).append('\n');
                }
                blocks.add(new Block(first, line.substring(3).strip(), wrap, text.toString()));
                wrap = "";
            } else if (!line.isEmpty()) {
                wrap = "";
            }
        }
        return blocks;
    }
}

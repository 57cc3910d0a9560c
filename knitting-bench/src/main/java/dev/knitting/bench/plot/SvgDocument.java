package dev.knitting.bench.plot;

import java.util.Locale;

/** Writes the few SVG elements that a chart needs. Readable on a light and on a dark page, whichever the viewer has. */
final class SvgDocument {
    private static final String STYLE = """
        <style>
        .page { fill: #ffffff; }
        text { font: 12px system-ui, sans-serif; fill: #1f2328; }
        .title { font-size: 15px; font-weight: 600; }
        .grid { stroke: #d0d7de; stroke-width: 1; }
        .line { fill: none; stroke-width: 1.8; }
        .own { stroke-width: 3.2; }
        .strong { font-weight: 600; }
        @media (prefers-color-scheme: dark) {
          .page { fill: #0d1117; }
          text { fill: #e6edf3; }
          .grid { stroke: #30363d; }
        }
        </style>
        """;

    private final StringBuilder text = new StringBuilder();

    SvgDocument(int width, int height, String title) {
        text.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(height)
                .append("\" width=\"")
                .append(width)
                .append("\" height=\"")
                .append(height)
                .append("\" role=\"img\">\n<title>")
                .append(escape(title))
                .append("</title>\n")
                .append(STYLE)
                .append("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
        text(16, 24, "title", "start", title);
    }

    void text(double x, double y, String style, String anchor, String content) {
        text.append("<text x=\"")
                .append(number(x))
                .append("\" y=\"")
                .append(number(y))
                .append("\" class=\"")
                .append(style)
                .append("\" text-anchor=\"")
                .append(anchor)
                .append("\">")
                .append(escape(content))
                .append("</text>\n");
    }

    void grid(double x1, double y1, double x2, double y2) {
        text.append("<line class=\"grid\" x1=\"")
                .append(number(x1))
                .append("\" y1=\"")
                .append(number(y1))
                .append("\" x2=\"")
                .append(number(x2))
                .append("\" y2=\"")
                .append(number(y2))
                .append("\"/>\n");
    }

    void bar(double x, double y, double width, double height, String color) {
        text.append("<rect x=\"")
                .append(number(x))
                .append("\" y=\"")
                .append(number(y))
                .append("\" width=\"")
                .append(number(width))
                .append("\" height=\"")
                .append(number(height))
                .append("\" rx=\"2\" fill=\"")
                .append(color)
                .append("\"/>\n");
    }

    /** Points as {@code x,y x,y ...}. */
    void line(String points, String color, String style, String dashes) {
        text.append("<polyline class=\"")
                .append(style)
                .append("\" stroke=\"")
                .append(color)
                .append("\" stroke-dasharray=\"")
                .append(dashes)
                .append("\" points=\"")
                .append(points)
                .append("\"/>\n");
    }

    /** One of four shapes, so that series differ also without colour. */
    void marker(double x, double y, int shape, String color) {
        String path = switch (shape % 4) {
            case 0 -> "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z";
            case 1 -> "m-3.5,-3.5h7v7h-7z";
            case 2 -> "m0,-4.5l4.5,8h-9z";
            default -> "m0,-5l5,5l-5,5l-5,-5z";
        };
        text.append("<path fill=\"")
                .append(color)
                .append("\" d=\"M")
                .append(number(x))
                .append(',')
                .append(number(y))
                .append(path)
                .append("\"/>\n");
    }

    String end() {
        return text.append("</svg>\n").toString();
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escape(String content) {
        return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}

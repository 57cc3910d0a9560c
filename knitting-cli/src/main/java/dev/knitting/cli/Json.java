package dev.knitting.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.Temporal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;
import tools.jackson.jr.ob.JacksonJrExtension;
import tools.jackson.jr.ob.api.ExtensionContext;
import tools.jackson.jr.ob.api.ReaderWriterProvider;
import tools.jackson.jr.ob.api.ValueWriter;
import tools.jackson.jr.ob.impl.JSONWriter;

/**
 * Values as JSON: text, numbers, booleans, null, records (by component), lists, sets, arrays, maps, byte arrays (base64);
 * paths, dates and durations as their text. Numbers that JSON lacks (NaN, infinities) become text. Thread-safe.
 */
final class Json {
    private static final JSON COMPACT = JSON.builder()
            .register(new AsText())
            // A field is a result's or a report's statement, also when it says null.
            .enable(JSON.Feature.WRITE_NULL_PROPERTIES)
            .enable(JSON.Feature.WRITE_RECORD_FIELDS_IN_DECLARATION_ORDER)
            .build();

    private static final JSON PRETTY = COMPACT.with(JSON.Feature.PRETTY_PRINT_OUTPUT);

    private Json() {}

    /**
     * One line of JSON, without a line break.
     *
     * @throws JacksonException if the value, or something in it, has no JSON form
     */
    static byte[] line(@Nullable Object value) {
        return bytes(COMPACT.asString(value));
    }

    /**
     * JSON over several lines, for people.
     *
     * @throws JacksonException if the value, or something in it, has no JSON form
     */
    static byte[] pretty(@Nullable Object value) {
        return bytes(PRETTY.asString(value));
    }

    /**
     * The bytes of a JSON text. Half a surrogate pair, which texts of broken documents do contain, has no UTF-8 form; the
     * escape sequence keeps it. It can only stand within a JSON string, where escapes are allowed.
     */
    private static byte[] bytes(String json) {
        StringBuilder repaired = null;
        int copied = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < json.length() && Character.isLowSurrogate(json.charAt(i + 1))) {
                i++;
                continue;
            }
            if (repaired == null) {
                repaired = new StringBuilder(json.length() + 16);
            }
            repaired.append(json, copied, i).append("\\u").append(Integer.toHexString(c));
            copied = i + 1;
        }
        String text = repaired == null
                ? json
                : repaired.append(json, copied, json.length()).toString();
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Types whose text says more than their fields. */
    private static final class AsText extends JacksonJrExtension {
        @Override
        protected void register(ExtensionContext context) {
            context.insertProvider(new ReaderWriterProvider() {
                @Override
                public @Nullable ValueWriter findValueWriter(JSONWriter writer, Class<?> type) {
                    boolean asText = Path.class.isAssignableFrom(type)
                            || Temporal.class.isAssignableFrom(type)
                            || type == Duration.class;
                    return asText ? new TextWriter(type) : null;
                }
            });
        }
    }

    private record TextWriter(Class<?> valueType) implements ValueWriter {
        @Override
        public void writeValue(JSONWriter writer, tools.jackson.core.JsonGenerator generator, Object value) {
            generator.writeString(value.toString());
        }
    }
}

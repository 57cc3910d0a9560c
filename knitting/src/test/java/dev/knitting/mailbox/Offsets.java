package dev.knitting.mailbox;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;

/** The offsets of a layout class: as its constants say, and as its struct says. */
final class Offsets {
    private Offsets() {}

    static long of(StructLayout layout, String member) {
        return layout.byteOffset(MemoryLayout.PathElement.groupElement(member));
    }

    /** Member name to offset, of every named member. */
    static Map<String, Long> derived(StructLayout layout) {
        Map<String, Long> offsets = new TreeMap<>();
        for (MemoryLayout member : layout.memberLayouts()) {
            member.name().ifPresent(name -> offsets.put(name, of(layout, name)));
        }
        return offsets;
    }

    /** Member name to offset, of every constant {@code SOME_NAME_OFFSET}. */
    static Map<String, Long> literals(Class<?> type) {
        Map<String, Long> offsets = new TreeMap<>();
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().endsWith("_OFFSET")) {
                try {
                    offsets.put(memberName(field.getName()), field.getLong(null));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return offsets;
    }

    private static String memberName(String constant) {
        String[] words = constant.substring(0, constant.length() - "_OFFSET".length())
                .toLowerCase(java.util.Locale.ROOT)
                .split("_");
        StringBuilder name = new StringBuilder(words[0]);
        for (int i = 1; i < words.length; i++) {
            name.append(Character.toUpperCase(words[i].charAt(0))).append(words[i].substring(1));
        }
        return name.toString().equals("inline") ? "inlineBytes" : name.toString();
    }
}

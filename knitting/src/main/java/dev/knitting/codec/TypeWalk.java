package dev.knitting.codec;

import dev.knitting.PayloadCodec;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link TypeTable}: visits types depth first in the order of their declaration, each once, and numbers them as
 * they come. Nothing but declarations is looked at and no class is initialised, so both sides come to the same numbers.
 */
final class TypeWalk {
    private final Map<Class<?>, PayloadCodec<?>> codecs = new HashMap<>();
    private final Map<Class<?>, TypeEntry> byClass = new HashMap<>();
    private final List<TypeEntry> entries = new ArrayList<>();
    private final Set<Type> visitedGenerics = new HashSet<>();
    private final List<PayloadCodec<?>> codecsInOrder;
    private String where = "";

    TypeWalk(List<? extends PayloadCodec<?>> codecs) {
        codecsInOrder = List.copyOf(codecs);
        for (PayloadCodec<?> codec : codecsInOrder) {
            this.codecs.put(codec.type(), codec);
        }
    }

    /** Visits a root. */
    void visit(Type root) {
        where = root.getTypeName();
        visitType(root, true);
    }

    /** Visits a type that must be one that a table can hold. */
    void visitRegistered(Class<?> type) {
        where = type.getName();
        visitType(type, true);
    }

    /** What a path starts with when the walk refuses something. */
    String where() {
        return where;
    }

    TypeTable table() {
        for (PayloadCodec<?> codec : codecsInOrder) { // those that no signature shows are as good as registered
            visitClass(codec.type(), true);
        }
        return entries.isEmpty() ? TypeTable.EMPTY : new TypeTable(Map.copyOf(byClass), entries);
    }

    private void visitType(Type type, boolean mustCross) {
        if (type instanceof Class<?> known) {
            visitClass(known, mustCross);
        } else if (visitedGenerics.add(type)) {
            visitGeneric(type);
        }
    }

    private void visitGeneric(Type type) {
        if (type instanceof ParameterizedType parameterized) {
            visitType(parameterized.getRawType(), true);
            visitEach(parameterized.getActualTypeArguments());
        } else if (type instanceof GenericArrayType array) {
            visitType(array.getGenericComponentType(), true);
        } else if (type instanceof WildcardType wildcard) {
            visitEach(wildcard.getUpperBounds());
        } else if (type instanceof TypeVariable<?> variable) {
            visitEach(variable.getBounds());
        }
    }

    private void visitEach(Type[] types) {
        for (Type type : types) {
            visitType(type, true);
        }
    }

    private void visitClass(Class<?> type, boolean mustCross) {
        if (type.isArray()) {
            visitClass(type.getComponentType(), mustCross);
            return;
        }
        PayloadCodec<?> codec = codecs.get(type);
        if (byClass.containsKey(type) || (codec == null && StandardTypes.isBuiltIn(type))) {
            return;
        }
        if (codec != null) {
            add(new CodecType(entries.size(), codec));
        } else if (type.isRecord()) {
            visitRecord(type);
        } else if (type.isEnum()) {
            add(new EnumType(entries.size(), type));
        } else if (Throwable.class.isAssignableFrom(type)) {
            add(new ThrowableType(entries.size(), type));
        } else if (isAbstract(type) && !StandardTypes.isOfJdk(type)) {
            visitAbstract(type);
        } else if (mustCross) {
            throw refuse(type);
        }
    }

    private void visitRecord(Class<?> type) {
        add(new RecordType(entries.size(), type));
        for (RecordComponent component : type.getRecordComponents()) {
            try {
                visitType(component.getGenericType(), true);
            } catch (Refusal refusal) {
                throw Refusal.in(refusal, "." + component.getName());
            }
        }
    }

    private void visitAbstract(Class<?> type) {
        add(new AbstractType(entries.size(), type));
        Class<?> @Nullable [] permitted = type.getPermittedSubclasses();
        if (permitted != null) {
            for (Class<?> subtype : permitted) {
                // One that cannot cross is refused when a value of it turns up: the others may be all that is sent.
                visitType(subtype, false);
            }
        }
    }

    private void add(TypeEntry entry) {
        byClass.put(entry.type(), entry);
        entries.add(entry);
    }

    private static boolean isAbstract(Class<?> type) {
        return Modifier.isAbstract(type.getModifiers());
    }

    private static Refusal refuse(Class<?> type) {
        return Refusal.unsupported(
                "type cannot cross",
                "type",
                type.getName(),
                "remedy",
                "a record, or a PayloadCodec named by codec(...) on the pool");
    }
}

package dev.knitting;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.knitting.memory.SharedWords;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.VarHandle;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The layers: dependencies point down only, and one package alone speaks to the operating system. */
class ArchitectureTest {
    private static final String ROOT = "dev.knitting";

    /** What each package may use of the project, its own classes apart. The empty name is the root package. */
    private static final Map<String, List<String>> LAYERS = Map.ofEntries(
            Map.entry("", List.of()),
            Map.entry("trace", List.of("")),
            Map.entry("memory", List.of("")),
            Map.entry("fault", List.of("memory")),
            Map.entry("mailbox", List.of("memory", "fault")),
            Map.entry("doorbell", List.of("mailbox", "memory")),
            Map.entry("codec", List.of("", "memory")),
            Map.entry("boot", List.of("", "codec")),
            Map.entry("observe", List.of("", "memory", "mailbox", "boot")),
            Map.entry("worker", List.of("", "trace", "memory", "fault", "mailbox", "codec", "doorbell", "boot")),
            Map.entry(
                    "launch",
                    List.of("", "trace", "memory", "fault", "mailbox", "codec", "doorbell", "boot", "worker")),
            Map.entry(
                    "host", List.of("", "trace", "memory", "fault", "mailbox", "codec", "doorbell", "boot", "launch")));

    /** Where the library's classes lie; its tests lie elsewhere, whatever the build calls the folders. */
    private static final Path HOME = Path.of(URI.create(PoolBuilder.class
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .toString()));

    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(HOME);

    private static String packageName(String layer) {
        return layer.isEmpty() ? ROOT : ROOT + "." + layer;
    }

    @Test
    void packages_all_areInTheTable() {
        Set<String> found = new TreeSet<>();
        CLASSES.forEach(type -> found.add(type.getPackageName()));
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(LAYERS.keySet().stream()
                        .map(ArchitectureTest::packageName)
                        .toList());
    }

    @Test
    void packages_each_dependOnTheirLayersOnly() {
        LAYERS.forEach((layer, allowed) -> {
            List<String> names = new ArrayList<>();
            names.add(packageName(layer));
            allowed.forEach(name -> names.add(packageName(name)));
            classes()
                    .that()
                    .resideInAPackage(packageName(layer))
                    .should()
                    .onlyDependOnClassesThat(
                            resideOutsideOfPackages(ROOT + "..").or(resideInAnyOf(names)))
                    .because("the layer table allows " + packageName(layer) + " only " + names)
                    .check(CLASSES);
        });
    }

    /** A table that allows what nobody does would not notice when somebody starts to. */
    @Test
    void layerTable_eachEntry_isUsed() {
        List<String> unused = new ArrayList<>();
        LAYERS.forEach((layer, allowed) -> allowed.forEach(name -> {
            boolean used = CLASSES.stream()
                    .filter(type -> type.getPackageName().equals(packageName(layer)))
                    .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                    .anyMatch(dependency -> dependency
                            .getTargetClass()
                            .getBaseComponentType()
                            .getPackageName()
                            .equals(packageName(name)));
            if (!used) {
                unused.add(packageName(layer) + " -> " + packageName(name));
            }
        }));
        assertThat(unused).isEmpty();
    }

    private static DescribedPredicate<JavaClass> resideInAnyOf(List<String> names) {
        return DescribedPredicate.describe(
                "reside in one of " + names,
                type -> names.contains(type.getBaseComponentType().getPackageName()));
    }

    @Test
    void packages_haveNoCycles() {
        slices().matching(ROOT + ".(*)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void nativeLinking_isInMemoryOnly() {
        noClasses()
                .that(not(resideInAPackage(ROOT + ".memory")))
                .should()
                .dependOnClassesThat(belongToAnyOf(
                        java.lang.foreign.Linker.class,
                        java.lang.foreign.FunctionDescriptor.class,
                        java.lang.foreign.SymbolLookup.class))
                .check(CLASSES);
    }

    @Test
    void unsafe_isUsedNowhere() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are some Unsafe",
                        type -> type.getBaseComponentType().getSimpleName().equals("Unsafe")))
                .check(CLASSES);
    }

    @Test
    void varHandlesOfSegments_areMadeInSharedWordsOnly() {
        noClasses()
                .that(not(belongToAnyOf(SharedWords.class)))
                .should(callMethodWhere(DescribedPredicate.describe(
                        "a var handle into a memory segment is made", ArchitectureTest::makesSegmentHandle)))
                .check(CLASSES);
        assertThat(CLASSES.get(SharedWords.class).getMethodCallsFromSelf())
                .as("the rule sees such calls")
                .anyMatch(ArchitectureTest::makesSegmentHandle);
    }

    private static boolean makesSegmentHandle(JavaMethodCall call) {
        return call.getTarget().getRawReturnType().isEquivalentTo(VarHandle.class)
                && (call.getTargetOwner().getPackageName().equals("java.lang.foreign")
                        || call.getTarget().getName().equals("memorySegmentViewVarHandle"));
    }

    @Test
    void module_exportsWhatUsersSeeOnly() throws IOException {
        try (InputStream in = Files.newInputStream(HOME.resolve("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactlyInAnyOrder(ROOT, ROOT + ".observe");
            assertThat(module.exports()).noneMatch(ModuleDescriptor.Exports::isQualified);
            assertThat(module.opens()).isEmpty();
            assertThat(module.isOpen()).isFalse();
        }
    }

    @Test
    void publicSignatures_nameNoInternalType() {
        List<String> leaks = new ArrayList<>();
        int seen = 0;
        for (JavaClass imported : CLASSES) {
            Class<?> type = imported.reflect();
            boolean exported =
                    type.getPackageName().equals(ROOT) || type.getPackageName().equals(ROOT + ".observe");
            if (!exported || !isVisible(type.getModifiers())) {
                continue;
            }
            for (Type named : typesOf(type)) {
                seen++;
                if (named.getTypeName().matches(".*\\bdev\\.knitting\\.(?!observe\\.)[a-z].*")) {
                    leaks.add(type.getName() + " names " + named.getTypeName());
                }
            }
        }
        assertThat(seen).as("signatures looked at").isGreaterThan(200);
        assertThat(leaks).isEmpty();
    }

    private static List<Type> typesOf(Class<?> type) {
        List<Type> types = new ArrayList<>(Arrays.asList(type.getGenericInterfaces()));
        if (type.getGenericSuperclass() != null) {
            types.add(type.getGenericSuperclass());
        }
        Stream.concat(Arrays.stream(type.getDeclaredMethods()), Arrays.stream(type.getDeclaredConstructors()))
                .filter(member -> isVisible(member.getModifiers()))
                .forEach(member -> addSignature(member, types));
        Arrays.stream(type.getDeclaredFields())
                .filter(field -> isVisible(field.getModifiers()))
                .forEach(field -> types.add(field.getGenericType()));
        return types;
    }

    private static void addSignature(Executable member, List<Type> types) {
        types.addAll(Arrays.asList(member.getGenericParameterTypes()));
        types.addAll(Arrays.asList(member.getGenericExceptionTypes()));
        types.addAll(Arrays.asList(member.getParameterTypes()));
        switch (member) {
            case Method method -> {
                types.add(method.getGenericReturnType());
                types.add(method.getReturnType());
            }
            case Constructor<?> constructor -> types.add(constructor.getDeclaringClass());
        }
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}

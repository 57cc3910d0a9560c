package dev.knitting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.TaskTarget.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskTest {
    private static final String HERE = TaskTest.class.getName();
    private final int field = 3;

    record Point(int x) {}

    private static long twice(long value) {
        return 2 * value;
    }

    static String nothing() {
        return "nothing";
    }

    private String instance(String text) {
        return text + field;
    }

    private static String throwing(String message) throws java.io.IOException {
        throw new java.io.IOException(message);
    }

    private static void assertBadTask(Runnable attempt, String... parts) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_TASK))
                .hasMessageContainingAll(parts);
    }

    @Test
    void of_privateStaticMethod_namesIt() throws Exception {
        Task<Long, Long> task = Task.of(TaskTest::twice);
        assertThat(task.target()).isEqualTo(new TaskTarget(Kind.STATIC, HERE, "twice", "(J)J"));
        assertThat(task.parameterCount()).isEqualTo(1);
        assertThat(task.isOnHost()).isTrue();
        assertThat(task.loader()).isSameAs(TaskTest.class.getClassLoader());
        assertThat(task.apply(21L)).isEqualTo(42);
        assertThat(task).hasToString(HERE + "::twice(J)J");
    }

    @Test
    void of_methodWithoutParameters_takesNone() throws Exception {
        Task<Void, String> task = Task.of(TaskTest::nothing);
        assertThat(task.target()).isEqualTo(new TaskTarget(Kind.STATIC, HERE, "nothing", "()Ljava/lang/String;"));
        assertThat(task.parameterCount()).isZero();
        assertThat(task.apply(null)).isEqualTo("nothing");
    }

    @Test
    void of_unboundMethods_nameTheReceiversClass() throws Exception {
        Task<String, String> trim = Task.of(String::trim);
        assertThat(trim.target())
                .isEqualTo(new TaskTarget(Kind.INSTANCE, "java.lang.String", "trim", "()Ljava/lang/String;"));
        assertThat(trim.apply(" x ")).isEqualTo("x");
        Task<List<String>, Integer> size = Task.of(List::size);
        assertThat(size.target()).isEqualTo(new TaskTarget(Kind.INSTANCE, "java.util.List", "size", "()I"));
        Task<Point, Integer> component = Task.of(Point::x);
        assertThat(component.target()).isEqualTo(new TaskTarget(Kind.INSTANCE, Point.class.getName(), "x", "()I"));
    }

    @Test
    void of_constructor_namesIt() throws Exception {
        Task<Integer, Point> task = Task.of(Point::new);
        assertThat(task.target()).isEqualTo(new TaskTarget(Kind.CONSTRUCTOR, Point.class.getName(), "<init>", "(I)V"));
        assertThat(task.apply(7)).isEqualTo(new Point(7));
    }

    @Test
    void of_lambdaWithoutCaptures_namesItsBody() throws Exception {
        Task<Long, Long> task = Task.of(value -> value + 1);
        assertThat(task.target().kind()).isEqualTo(Kind.STATIC);
        assertThat(task.target().className()).isEqualTo(HERE);
        assertThat(task.target().methodName()).startsWith("lambda$");
        assertThat(task.target().descriptor()).isEqualTo("(Ljava/lang/Long;)Ljava/lang/Long;");
        assertThat(task.apply(1L)).isEqualTo(2);
    }

    @Test
    void of_captures_areRefusedByName() {
        String local = "x".repeat(field);
        int[] numbers = {1};
        assertBadTask(() -> Task.of((String text) -> text + local), "captured=java.lang.String", "lambda$", "remedy=");
        assertBadTask(() -> Task.of(() -> numbers[0]), "captured=[I");
        assertBadTask(() -> Task.of(this::instance), "captured=" + HERE, HERE + "::instance");
        assertBadTask(() -> Task.of((String text) -> text + field), "captured=" + HERE);
        assertBadTask(() -> Task.of(local::concat), "captured=java.lang.String", "java.lang.String::concat");
        String none = numbers.length == 2 ? "" : null;
        assertBadTask(() -> Task.of((String text) -> text + none), "captured=null");
    }

    @Test
    void of_noLambda_isRefusedByName() {
        Task.Function<String, String> anonymous = new Task.Function<>() {
            private static final long serialVersionUID = 1L;

            @Override
            public String apply(String argument) {
                return argument;
            }
        };
        assertBadTask(
                () -> Task.of(anonymous), "not a lambda", anonymous.getClass().getName());
        assertBadTask(() -> Task.of(new Plain(1)), "not a lambda", Plain.class.getName());
    }

    private record Plain(int state) implements Task.Source<String> {
        @Override
        public String get() {
            return "";
        }
    }

    /** What older compilers, and those of other languages, make of a lambda. */
    static final class Twice implements Task.Function<Long, Long> {
        private static final long serialVersionUID = 1L;

        private Twice() {}

        @Override
        public Long apply(Long value) {
            return 2 * value;
        }
    }

    @Test
    void of_functionObjectWithoutState_namesItsMethod() throws Exception {
        Task<Long, Long> task = Task.of(new Twice());
        assertThat(task.target())
                .isEqualTo(new TaskTarget(
                        Kind.FUNCTION, Twice.class.getName(), "apply", "(Ljava/lang/Long;)Ljava/lang/Long;"));
        assertThat(task.apply(4L)).isEqualTo(8);
    }

    @Test
    void bind_isACallable() throws Exception {
        assertThat(Task.of(TaskTest::twice).bind(3L).call()).isEqualTo(6);
        assertThatThrownBy(() ->
                        Task.of(TaskTest::throwing).bind("why").toRunnable().run())
                .hasRootCauseMessage("why");
    }

    @Test
    void of_null_throws() {
        assertThatThrownBy(() -> Task.of((Task.Function<String, String>) null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Task.of((Task.Source<String>) null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void apply_throwingTask_throwsItsException() {
        Task<String, String> task = Task.of(TaskTest::throwing);
        assertThatThrownBy(() -> task.apply("why"))
                .isExactlyInstanceOf(java.io.IOException.class)
                .hasMessage("why");
    }

    @Test
    void named_typesOfEveryKind_makeTheDescriptor() {
        assertThat(Task.named("a.B", "m", long.class, String.class).target())
                .isEqualTo(new TaskTarget(Kind.STATIC, "a.B", "m", "(J)Ljava/lang/String;"));
        assertThat(Task.named("a.B", "m", void.class, void.class).target().descriptor())
                .isEqualTo("()V");
        assertThat(Task.named("a.B", "m", byte[].class, Point[][].class)
                        .target()
                        .descriptor())
                .isEqualTo("([B)[[L" + Point.class.getName().replace('.', '/') + ";");
        assertThat(Task.named("a.B$C", "m", boolean.class, void.class).target().descriptor())
                .isEqualTo("(Z)V");
    }

    @Test
    void named_holdsTheNameOnly() {
        Task<Void, Void> none = Task.named("a.B", "m", void.class, void.class);
        Task<Long, Void> one = Task.named("a.B", "m", long.class, void.class);
        assertThat(none.parameterCount()).isZero();
        assertThat(one.parameterCount()).isEqualTo(1);
        assertThat(one.isOnHost()).isFalse();
        assertThat(one.loader()).isNull();
        assertThatThrownBy(() -> one.apply(1L))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a.B::m");
    }
}

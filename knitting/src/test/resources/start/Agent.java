package agent;

/** What a coverage or tracing agent looks like to its JVM. */
public final class Agent {
    private Agent() {}

    public static void premain(String argument) {
        System.setProperty("agent.loaded", String.valueOf(argument));
    }
}

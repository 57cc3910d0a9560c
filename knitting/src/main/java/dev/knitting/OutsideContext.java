package dev.knitting;

/** The context of code that runs outside any worker. */
enum OutsideContext implements TaskContext {
    INSTANCE;

    @Override
    public int workerId() {
        return -1;
    }
}

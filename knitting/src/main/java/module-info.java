import org.jspecify.annotations.NullMarked;

/** Runs functions in other threads or other processes through shared memory. */
@NullMarked
module dev.knitting {
    requires static jdk.jfr;
    requires static org.jspecify;

    exports dev.knitting;
    exports dev.knitting.observe;

    uses dev.knitting.PoolFactory;

    provides dev.knitting.PoolFactory with
            dev.knitting.host.DefaultPoolFactory;
}

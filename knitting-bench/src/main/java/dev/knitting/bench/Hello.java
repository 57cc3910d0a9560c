package dev.knitting.bench;

/** The smallest program: what the start of a worker is compared with. */
final class Hello {
    private Hello() {}

    /** No arguments. */
    public static void main(String[] args) {
        System.out.println("hello");
    }
}

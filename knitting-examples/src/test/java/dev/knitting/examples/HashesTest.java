package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Digests against published test vectors, and of files larger than the read buffer. */
final class HashesTest {
    @Test
    void sha256_publishedVector_matches(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("abc"), "abc");
        assertThat(Hashes.sha256(file)).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void sha256_emptyFile_matches() throws IOException {
        assertThat(Hashes.sha256(TestFiles.SAMPLES.resolve("zero-bytes.pdf")))
                .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    @Test
    void sha256_millionTimesTheLetterA_matches(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("many"), "a".repeat(1_000_000));
        assertThat(Hashes.sha256(file)).isEqualTo("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    @Test
    void sha256_missingFile_throws() {
        assertThatThrownBy(() -> Hashes.sha256(Path.of("missing"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void sha256Text_publishedVector_matches() {
        assertThat(Hashes.sha256Text("abc"))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void md5_publishedVectors_match() {
        assertThat(Hashes.md5(new byte[0])).isEqualTo("d41d8cd98f00b204e9800998ecf8427e");
        assertThat(Hashes.md5("message digest".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo("f96b697d7cb7938d525a2f31aaf161d0");
    }
}

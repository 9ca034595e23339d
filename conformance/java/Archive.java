import io.digdag.client.DigdagClient;
import io.digdag.client.api.RestProject;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.utils.IOUtils;

/** Projects as archives, with the library that Digdag's own commands use. */
final class Archive {
    private Archive() {}

    /** Pushes a project of one file. */
    static RestProject push(DigdagClient client, Path work, String project, String revision, String file, String text)
            throws IOException {
        return client.putProjectRevision(project, revision, pack(work, file, text).toFile());
    }

    static Path pack(Path work, String file, String text) throws IOException {
        Path archive = Files.createTempFile(work, "project", ".tar.gz");
        try (TarArchiveOutputStream tar =
                new TarArchiveOutputStream(new GzipCompressorOutputStream(Files.newOutputStream(archive)))) {
            byte[] content = text.getBytes(StandardCharsets.UTF_8);
            TarArchiveEntry entry = new TarArchiveEntry(file);
            entry.setSize(content.length);
            tar.putArchiveEntry(entry);
            tar.write(content);
            tar.closeArchiveEntry();
        }
        return archive;
    }

    /** Texts by file name. */
    static Map<String, String> unpack(InputStream archive) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new GzipCompressorInputStream(new BufferedInputStream(archive)))) {
            for (TarArchiveEntry entry = tar.getNextTarEntry(); entry != null; entry = tar.getNextTarEntry()) {
                if (entry.isFile()) {
                    files.put(entry.getName(), new String(IOUtils.toByteArray(tar), StandardCharsets.UTF_8));
                }
            }
        }
        return files;
    }

    /** The text of a compressed log. */
    static String text(InputStream compressed) throws IOException {
        try (GzipCompressorInputStream plain = new GzipCompressorInputStream(new BufferedInputStream(compressed), true)) {
            return new String(IOUtils.toByteArray(plain), StandardCharsets.UTF_8);
        }
    }
}

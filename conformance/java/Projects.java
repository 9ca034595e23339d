import com.google.common.base.Optional;
import io.digdag.client.DigdagClient;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestRevision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Projects, revisions and archives (server 2.6.2). */
final class Projects {
    private static final String FIRST = "+a:\n  echo>: first\n";
    private static final String SECOND = "+a:\n  echo>: second\n";

    private final DigdagClient client;
    private final Path work;

    Projects(DigdagClient client, Path work) {
        this.client = client;
        this.work = work;
    }

    void run() throws Exception {
        Instant before = Instant.now().minusSeconds(1);
        Path archive = Archive.pack(work, "main.dig", FIRST);
        RestProject first = client.putProjectRevision("pushed", "r1", archive.toFile());
        Check.equal("name", "pushed", first.getName());
        Check.equal("revision", "r1", first.getRevision());
        Check.equal("archive type", "db", first.getArchiveType());
        Check.equal("deleted at", Optional.absent(), first.getDeletedAt());
        Check.holds("createdAt is now", !first.getCreatedAt().isBefore(before) && first.getCreatedAt().isBefore(Instant.now()));
        byte[] digest = MessageDigest.getInstance("MD5").digest(Files.readAllBytes(archive));
        Check.holds("archiveMd5 is that of what was sent", Arrays.equals(digest, first.getArchiveMd5().get()));

        RestProject second = client.putProjectRevision("pushed", "r2", Archive.pack(work, "main.dig", SECOND).toFile(),
                Optional.of(Instant.parse("2024-01-01T00:00:00Z")));
        Check.equal("id of the same project", first.getId(), second.getId());
        Check.equal("project by id", second.toString(), client.getProject(first.getId()).toString());
        Check.equal("project by name", second.toString(), client.getProject("pushed").toString());
        Check.holds("the list has the project", client.getProjects().getProjects().toString().contains(second.toString()));

        List<RestRevision> revisions = client.getRevisions(first.getId(), Optional.absent()).getRevisions();
        Check.equal("newest revision", "r2", revisions.get(0).getRevision());
        Check.equal("number of revisions", 2, revisions.size());
        Check.equal("archive of r1", Collections.singletonMap("main.dig", FIRST),
                Archive.unpack(client.getProjectArchive(first.getId(), "r1")));
        Check.equal("archive of r2", Collections.singletonMap("main.dig", SECOND),
                Archive.unpack(client.getProjectArchive(first.getId(), "r2")));

        refusals();
        client.deleteProject(first.getId());
        Check.refused("a deleted project", 404, () -> client.getProject(first.getId()));
    }

    private void refusals() throws Exception {
        Check.refused("a revision that is there", 409, "Resource already exists: revision=r2", () -> push("r2", FIRST));
        Check.refused("a broken workflow", 400, "more than one operator", () -> push("r3", "+a:\n  sh>: a\n  echo>: b\n"));
        Check.refused("a project that is not there", 404, () -> client.getProject("nobody"));
    }

    private void push(String revision, String text) {
        try {
            Archive.push(client, work, "pushed", revision, "main.dig", text);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

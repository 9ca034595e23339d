import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestSecretMetadata;
import io.digdag.client.api.RestSessionAttempt;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Secrets (server 2.6.3), and a task that uses one. */
final class Secrets {
    private static final String TEXT = "+a:\n  _env:\n    WORD: ${secret:some.word}\n  sh>: test \"$WORD\" = \"open, sesame ☃\"\n";

    private final DigdagClient client;
    private final Path work;

    Secrets(DigdagClient client, Path work) {
        this.client = client;
        this.work = work;
    }

    void run() throws Exception {
        RestProject project = Archive.push(client, work, "secrets", "r1", "main.dig", TEXT);
        Id id = project.getId();
        Check.equal("keys at first", Arrays.asList(), keys(id));
        client.setProjectSecret(id, "some.word", "wrong");
        client.setProjectSecret(id, "some.word", "open, sesame ☃");
        client.setProjectSecret(id, "other", "");
        Check.equal("keys", Arrays.asList("other", "some.word"), keys(id));
        client.deleteProjectSecret(id, "other");
        Check.equal("keys after the deletion", Arrays.asList("some.word"), keys(id));

        Id workflow = client.getWorkflowDefinition(id, "main").getId();
        RestSessionAttempt attempt = Attempts.finish(client, Attempts.request(client, workflow, "2024-01-01T00:00:00Z"));
        Check.equal("status of a task that uses it", "success", attempt.getStatus());
        Check.refused("a project that is not there", 404, () -> client.listProjectSecrets(Id.of("999999")));
        client.deleteProject(id);
    }

    private List<String> keys(Id project) {
        return client.listProjectSecrets(project).secrets().stream().map(RestSecretMetadata::key).sorted().collect(Collectors.toList());
    }
}

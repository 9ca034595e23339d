import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestSessionAttempt;
import java.nio.file.Path;

/** Attempts that are killed while a command runs. */
final class Kill {
    private final DigdagClient client;
    private final Path work;

    Kill(DigdagClient client, Path work) {
        this.client = client;
        this.work = work;
    }

    void run() throws Exception {
        RestProject project = Archive.push(client, work, "kill", "r1", "main.dig", "+a:\n  sh>: sleep 60\n+b:\n  echo>: never\n");
        Id workflow = client.getWorkflowDefinition(project.getId(), "main").getId();
        Id attempt = client.startSessionAttempt(Attempts.request(client, workflow, "2024-01-01T00:00:00Z")).getId();
        Check.await("+a runs", () -> client.getTasks(attempt).getTasks().get(1).getState().equals("running"));
        Check.equal("status before", "running", client.getSessionAttempt(attempt).getStatus());
        client.killSessionAttempt(attempt);
        Check.await("the attempt is done", () -> client.getSessionAttempt(attempt).getDone());
        RestSessionAttempt after = client.getSessionAttempt(attempt);
        Check.equal("status after", "killed", after.getStatus());
        Check.equal("cancel requested", true, after.getCancelRequested());
        Check.equal("success", false, after.getSuccess());
        Check.refused("a second kill", 409, "already killed or finished", () -> client.killSessionAttempt(attempt));
        client.deleteProject(project.getId());
    }
}

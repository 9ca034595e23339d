import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestSessionAttempt;
import io.digdag.client.api.RestSessionAttemptRequest;
import io.digdag.client.api.RestSessionAttemptRequest.Resume;
import io.digdag.client.api.RestSessionAttemptRequest.ResumeFailed;
import io.digdag.client.api.RestSessionAttemptRequest.ResumeFrom;
import io.digdag.client.api.RestTask;
import java.nio.file.Path;

/** Attempts that fail, and go on (language 3.14). */
final class Resuming {
    private static final String TEXT = "+a:\n  echo>: a\n+b:\n  sh>: '${ok}'\n+c:\n  echo>: c\n";

    private final DigdagClient client;
    private final Path work;

    Resuming(DigdagClient client, Path work) {
        this.client = client;
        this.work = work;
    }

    void run() throws Exception {
        RestProject project = Archive.push(client, work, "resuming", "r1", "main.dig", TEXT);
        Id workflow = client.getWorkflowDefinition(project.getId(), "main").getId();
        RestSessionAttemptRequest first = RestSessionAttemptRequest.builder()
                .from(Attempts.request(client, workflow, "2024-01-01T00:00:00Z")).params(client.newConfig().set("ok", "exit 3")).build();
        RestSessionAttempt failed = Attempts.finish(client, first);
        Check.equal("status", "error", failed.getStatus());
        RestTask broken = task(failed.getId(), "+main+b");
        Check.equal("state of +b", "error", broken.getState());
        Check.contains("message of +b", "Command failed with code 3", broken.getError().get("message", String.class));

        resume(workflow, "failed", ResumeFailed.of(failed.getId()), "+main+a");
        resume(workflow, "from", ResumeFrom.of(failed.getId(), "+b"), "+main+a");
        Check.refused("a task that is not there", 400, () -> client.startSessionAttempt(
                request(workflow, "wrong", ResumeFrom.of(failed.getId(), "+nowhere"))));
        client.deleteProject(project.getId());
    }

    /** Goes on with what failed: what was taken over does not run again, so it has no output. */
    private void resume(Id workflow, String name, Resume resume, String takenOver) throws InterruptedException {
        RestSessionAttempt attempt = Attempts.finish(client, request(workflow, name, resume));
        Check.equal("status of " + name, "success", attempt.getStatus());
        Check.equal("state of " + takenOver, "success", task(attempt.getId(), takenOver).getState());
        Check.equal("output of " + takenOver, 0, client.getLogFileHandlesOfTask(attempt.getId(), takenOver).getFiles().size());
        Check.equal("output of +main+b", 1, client.getLogFileHandlesOfTask(attempt.getId(), "+main+b").getFiles().size());
    }

    private RestSessionAttemptRequest request(Id workflow, String name, Resume resume) {
        return RestSessionAttemptRequest.builder().from(Attempts.request(client, workflow, "2024-01-01T00:00:00Z"))
                .retryAttemptName(name).resume(resume).params(client.newConfig().set("ok", "true")).build();
    }

    private RestTask task(Id attempt, String name) {
        return client.getTasks(attempt).getTasks().stream().filter(task -> task.getFullName().equals(name)).findFirst().get();
    }
}

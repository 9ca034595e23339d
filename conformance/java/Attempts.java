import com.google.common.base.Optional;
import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.RestLogFileHandle;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestSession;
import io.digdag.client.api.RestSessionAttempt;
import io.digdag.client.api.RestSessionAttemptRequest;
import io.digdag.client.api.RestTask;
import io.digdag.client.config.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Attempts, sessions, tasks and logs (server 2.6.6 to 2.6.8). */
final class Attempts {
    private static final String TEXT = String.join("\n",
            "timezone: Asia/Tokyo",
            "_export: {city: Kyōto}",
            "+say:",
            "  sh>: echo \"hello ${name} of ${city}\"",
            "+keep:",
            "  _export: {level: 3}",
            "  echo>: ${list}",
            "+group:",
            "  _parallel: true",
            "  +left: {echo>: left}",
            "  +right: {echo>: right}",
            "");

    private final DigdagClient client;
    private final DigdagClient admin;
    private final Path work;

    Attempts(DigdagClient client, DigdagClient admin, Path work) {
        this.client = client;
        this.admin = admin;
        this.work = work;
    }

    /** Starts a session of a workflow and waits for its end. */
    static RestSessionAttempt finish(DigdagClient client, RestSessionAttemptRequest request) throws InterruptedException {
        Id id = client.startSessionAttempt(request).getId();
        Check.await("attempt " + id + " is done", () -> client.getSessionAttempt(id).getDone());
        return client.getSessionAttempt(id);
    }

    static RestSessionAttemptRequest request(DigdagClient client, Id workflow, String sessionTime) {
        return RestSessionAttemptRequest.builder().workflowId(workflow).sessionTime(Instant.parse(sessionTime))
                .params(client.newConfig()).build();
    }

    void run() throws Exception {
        RestProject project = Archive.push(client, work, "attempts", "r1", "main.dig", TEXT);
        Id workflow = client.getWorkflowDefinition(project.getId(), "main").getId();
        Config params = client.newConfig().set("name", "Ann").set("list", Arrays.asList(1, 2)).setNested("deep", client.newConfig().set("k", 1.5));
        RestSessionAttemptRequest request = RestSessionAttemptRequest.builder().workflowId(workflow)
                .sessionTime(Instant.parse("2024-01-14T15:00:00Z")).params(params).build();
        RestSessionAttempt attempt = finish(client, request);
        Check.equal("status", "success", attempt.getStatus());
        Check.equal("success", true, attempt.getSuccess());
        Check.equal("index", 1, attempt.getIndex());
        Check.equal("session time", OffsetDateTime.parse("2024-01-15T00:00:00+09:00"), attempt.getSessionTime());
        Check.equal("parameters", params, attempt.getParams());
        Check.equal("workflow", Optional.of(workflow), attempt.getWorkflow().getId());
        Check.holds("it ended after it began", !attempt.getFinishedAt().get().isBefore(attempt.getCreatedAt()));

        conflict(request, attempt);
        lists(project, attempt);
        tasks(attempt);
        logs(attempt);
        Check.equal("info about who pushed", client.newConfig(), admin.adminGetAttemptUserInfo(attempt.getId()));
        Check.refused("admin resources on the first listener", 404, () -> client.adminGetAttemptUserInfo(attempt.getId()));
        client.deleteProject(project.getId());
    }

    private void conflict(RestSessionAttemptRequest request, RestSessionAttempt attempt) throws InterruptedException {
        Check.refused("a second attempt without a name", 409, "\"id\":\"" + attempt.getId().get() + "\"",
                () -> client.startSessionAttempt(request));
        RestSessionAttemptRequest named = RestSessionAttemptRequest.builder().from(request).retryAttemptName("again").build();
        RestSessionAttempt second = finish(client, named);
        Check.equal("name of the second attempt", Optional.of("again"), second.getRetryAttemptName());
        Check.equal("index of the second attempt", 2, second.getIndex());
        Check.equal("session of the second attempt", attempt.getSessionId(), second.getSessionId());
        Check.equal("attempts of the session, first to last", Arrays.asList(attempt, second),
                client.getSessionAttemptRetries(attempt.getId()).getAttempts());
    }

    private void lists(RestProject project, RestSessionAttempt attempt) {
        Id id = attempt.getSessionId();
        RestSession session = client.getSession(id);
        Check.equal("uuid", attempt.getSessionUuid(), session.getSessionUuid());
        Check.equal("last attempt", Optional.of("again"), session.getLastAttempt().get().getRetryAttemptName());
        Check.holds("all sessions", client.getSessions().getSessions().contains(session));
        Check.equal("sessions of a project", Arrays.asList(session), client.getSessions(project.getId()).getSessions());
        Check.equal("sessions of a workflow", Arrays.asList(session),
                client.getSessions(project.getId(), "main", Optional.absent(), Optional.of(10)).getSessions());
        Check.equal("attempts of a session", 2, client.getSessionAttempts(id, Optional.absent(), Optional.absent()).getAttempts().size());
        Check.equal("a page of them", 1, client.getSessionAttempts(id, Optional.absent(), Optional.of(1)).getAttempts().size());
        Check.equal("last attempts of a project", 1, client.getSessionAttempts("attempts", Optional.absent()).getAttempts().size());
        Check.equal("last attempts of a workflow", 1, client.getSessionAttempts("attempts", "main", Optional.absent()).getAttempts().size());
        Check.refused("a page that is too large", 400, () -> client.getSessionAttempts(Optional.absent(), Optional.of(1000)));
    }

    private void tasks(RestSessionAttempt attempt) {
        List<RestTask> tasks = client.getTasks(attempt.getId()).getTasks();
        Check.equal("tasks", Arrays.asList("+main", "+main+say", "+main+keep", "+main+group", "+main+group+left", "+main+group+right"),
                tasks.stream().map(RestTask::getFullName).collect(Collectors.toList()));
        for (RestTask task : tasks) {
            Check.equal("state of " + task.getFullName(), "success", task.getState());
            Check.equal("error of " + task.getFullName(), true, task.getError().isEmpty());
        }
        Check.equal("the root's parent", Optional.absent(), tasks.get(0).getParentId());
        Check.equal("the root is a group", true, tasks.get(0).isGroup());
        Check.equal("parent of +say", Optional.of(tasks.get(0).getId()), tasks.get(1).getParentId());
        Check.equal("upstreams of +keep", Arrays.asList(tasks.get(1).getId()), tasks.get(2).getUpstreams());
        Check.equal("exports of +keep", 3, tasks.get(2).getExportParams().get("level", Integer.class));
        Check.holds("+say has begun", tasks.get(1).getStartedAt().isPresent());
    }

    private void logs(RestSessionAttempt attempt) throws IOException {
        Check.equal("files of output", 4, client.getLogFileHandlesOfAttempt(attempt.getId()).getFiles().size());
        List<RestLogFileHandle> files = client.getLogFileHandlesOfTask(attempt.getId(), "+main+say").getFiles();
        Check.equal("files of +say", 1, files.size());
        Check.equal("task of the file", "+main+say", files.get(0).getTaskName());
        Check.contains("what +say printed", "hello Ann of Kyōto\n", Archive.text(client.getLogFile(attempt.getId(), files.get(0))));
        Check.contains("the same by name", "hello Ann of Kyōto\n",
                Archive.text(client.getLogFile(attempt.getId(), files.get(0).getFileName())));
        Check.refused("a file that is not there", 404, () -> client.getLogFile(attempt.getId(), "+main+no@1.local.log.gz"));
    }
}

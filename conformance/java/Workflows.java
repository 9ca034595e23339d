import com.google.common.base.Optional;
import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.LocalTimeOrInstant;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestWorkflowDefinition;
import io.digdag.client.api.RestWorkflowSessionTime;
import io.digdag.client.api.SessionTimeTruncate;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collections;

/** Workflows and session times (server 2.6.4). */
final class Workflows {
    private static final String TEXT =
            "timezone: Asia/Tokyo\nschedule:\n  daily>: 07:00:00\n_export:\n  z: 1\n  a: [1, two]\n+one:\n  echo>: hi\n+two:\n  echo>: ho\n";

    private final DigdagClient client;
    private final Path work;

    Workflows(DigdagClient client, Path work) {
        this.client = client;
        this.work = work;
    }

    void run() throws Exception {
        RestProject project = Archive.push(client, work, "workflows", "r1", "daily.dig", TEXT);
        Id id = project.getId();
        RestWorkflowDefinition workflow = client.getWorkflowDefinition(id, "daily");
        Check.equal("name", "daily", workflow.getName());
        Check.equal("project", "workflows", workflow.getProject().getName());
        Check.equal("zone", ZoneId.of("Asia/Tokyo"), workflow.getTimeZone());
        Check.equal("keys of the workflow, in their order", Arrays.asList("_export", "schedule", "+one", "+two"),
                workflow.getConfig().getKeys());
        Check.equal("keys of _export, in their order", Arrays.asList("z", "a"), workflow.getConfig().getNested("_export").getKeys());
        Check.equal("of a revision", workflow, client.getWorkflowDefinition(id, "daily", "r1"));
        Check.equal("by id", workflow, client.getWorkflowDefinition(workflow.getId()));
        Check.equal("of a project", Collections.singletonList(workflow), client.getWorkflowDefinitions(id).getWorkflows());
        Check.equal("of a project's revision", Collections.singletonList(workflow), client.getWorkflowDefinitions(id, "r1").getWorkflows());
        Check.holds("the list of all has the workflow", client.getWorkflowDefinitions().getWorkflows().contains(workflow));
        Check.holds("the list goes on after an id",
                !client.getWorkflowDefinitions(Optional.of(workflow.getId())).getWorkflows().contains(workflow));
        Check.refused("a workflow that is not there", 404, () -> client.getWorkflowDefinition(id, "weekly"));
        times(workflow.getId());
        client.deleteProject(id);
    }

    private void times(Id workflow) {
        LocalTimeOrInstant local = LocalTimeOrInstant.of(LocalDateTime.parse("2024-01-15T10:30:00"));
        RestWorkflowSessionTime day = client.getWorkflowTruncatedSessionTime(workflow, local, SessionTimeTruncate.DAY);
        Check.equal("the day", OffsetDateTime.parse("2024-01-15T00:00:00+09:00"), day.getSessionTime());
        Check.equal("zone of the time", ZoneId.of("Asia/Tokyo"), day.getTimeZone());
        LocalTimeOrInstant instant = LocalTimeOrInstant.of(Instant.parse("2024-01-15T01:30:00Z"));
        Check.equal("the hour", OffsetDateTime.parse("2024-01-15T10:00:00+09:00"),
                client.getWorkflowTruncatedSessionTime(workflow, instant, SessionTimeTruncate.HOUR).getSessionTime());
        Check.equal("the time itself", OffsetDateTime.parse("2024-01-15T10:30:00+09:00"),
                client.getWorkflowTruncatedSessionTime(workflow, instant).getSessionTime());
        Check.equal("of the next schedule", OffsetDateTime.parse("2024-01-16T00:00:00+09:00"),
                client.getWorkflowTruncatedSessionTime(workflow, local, SessionTimeTruncate.NEXT_SCHEDULE).getSessionTime());
    }
}

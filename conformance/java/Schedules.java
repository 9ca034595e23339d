import com.google.common.base.Optional;
import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.RestProject;
import io.digdag.client.api.RestSchedule;
import io.digdag.client.api.RestScheduleSummary;
import io.digdag.client.api.RestSessionAttempt;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;

/** Schedules and backfills (server 2.6.5). */
final class Schedules {
    private static final String TEXT = "timezone: Asia/Tokyo\nschedule:\n  daily>: 10:00:00\n+a:\n  echo>: ${session_time}\n";

    private final DigdagClient client;
    private final Path work;

    Schedules(DigdagClient client, Path work) {
        this.client = client;
        this.work = work;
    }

    void run() throws Exception {
        RestProject project = client.putProjectRevision("schedules", "r1", Archive.pack(work, "daily.dig", TEXT).toFile(),
                Optional.of(Instant.parse("2291-02-05T20:00:00Z")));
        RestSchedule schedule = client.getSchedule(project.getId(), "daily");
        Id id = schedule.getId();
        Check.equal("next session", OffsetDateTime.parse("2291-02-06T00:00:00+09:00"), schedule.getNextScheduleTime());
        Check.equal("next run", Instant.parse("2291-02-06T01:00:00Z"), schedule.getNextRunTime());
        Check.equal("disabled", Optional.absent(), schedule.getDisabledAt());
        Check.equal("by id", schedule, client.getSchedule(id));
        Check.holds("all schedules", client.getSchedules().getSchedules().contains(schedule));
        Check.equal("those of a project", Arrays.asList(schedule), client.getSchedules(project.getId(), Optional.absent()).getSchedules());

        Check.holds("it is disabled", client.disableSchedule(id).getDisabledAt().isPresent());
        Check.equal("enabled", Optional.absent(), client.enableSchedule(id).getDisabledAt());
        skip(id);
        Check.holds("it is disabled again", client.disableSchedule(id).getDisabledAt().isPresent());
        Check.equal("enabled with a skip", OffsetDateTime.parse("2291-03-01T00:00:00+09:00"),
                client.enableSchedule(id, true, Optional.of("2291-03-01T00:00:00")).getNextScheduleTime());
        backfill(id);
        Check.refused("a schedule that is not there", 404, () -> client.getSchedule(Id.of("999999")));
        client.deleteProject(project.getId());
    }

    private void skip(Id id) {
        RestScheduleSummary dry = client.skipSchedulesToTime(id, Instant.parse("2291-02-09T00:01:00Z"), Optional.absent(), true);
        Check.equal("session of a dry skip", OffsetDateTime.parse("2291-02-09T00:00:00+09:00"), dry.getNextScheduleTime());
        Check.equal("after the dry skip", OffsetDateTime.parse("2291-02-06T00:00:00+09:00"), client.getSchedule(id).getNextScheduleTime());
        Check.equal("skipped to a local time", OffsetDateTime.parse("2291-02-10T00:00:00+09:00"),
                client.skipSchedulesToTime(id, LocalDateTime.parse("2291-02-10T00:00:00"), Optional.absent(), false).getNextScheduleTime());
        RestScheduleSummary counted = client.skipSchedulesByCount(id, Instant.parse("2291-02-10T00:00:00Z"), 2,
                Optional.of(Instant.parse("2291-02-20T05:06:07Z")), false);
        Check.equal("skipped by count", OffsetDateTime.parse("2291-02-12T00:00:00+09:00"), counted.getNextScheduleTime());
        Check.equal("run time as asked for", Instant.parse("2291-02-20T05:06:07Z"), counted.getNextRunTime());
        Check.refused("a skip to the past", 409,
                () -> client.skipSchedulesToTime(id, Instant.parse("2291-01-01T00:00:00Z"), Optional.absent(), false));
    }

    private void backfill(Id id) throws InterruptedException {
        Instant from = Instant.parse("2291-02-20T00:00:00Z");
        List<RestSessionAttempt> dry = client.backfillSchedule(id, from, "fill", Optional.of(3), true).getAttempts();
        Check.equal("sessions of a dry backfill", 3, dry.size());
        List<RestSessionAttempt> attempts = client.backfillSchedule(id, from, "fill", Optional.of(3), false).getAttempts();
        Check.equal("first session", OffsetDateTime.parse("2291-02-20T00:00:00+09:00"), attempts.get(0).getSessionTime());
        Check.equal("name", Optional.of("fill"), attempts.get(0).getRetryAttemptName());
        Id last = attempts.get(2).getId();
        Check.await("the last attempt is done", () -> client.getSessionAttempt(last).getDone());
        Check.equal("status of the last attempt", "success", client.getSessionAttempt(last).getStatus());
        Check.refused("the same backfill again", 409, () -> client.backfillSchedule(id, from, "fill", Optional.of(3), false));
    }
}

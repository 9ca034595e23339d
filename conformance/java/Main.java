import io.digdag.client.DigdagClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Base64;

/**
 * Uses the API through Digdag's own client library, call by call, and checks what comes back. The server is that of
 * scripts/withserver.sh, with the user java and the password duke.
 */
public final class Main {
    private Main() {}

    /** One part of the API. */
    private interface Part {
        void run() throws Exception;
    }

    public static void main(String[] args) {
        Path work = Paths.get(System.getenv("TROWEL_WORK"));
        boolean ok = true;
        try (DigdagClient client = connect("TROWEL_SERVER", "duke"); DigdagClient admin = connect("TROWEL_ADMIN", "duke");
                DigdagClient stranger = connect("TROWEL_SERVER", "wrong")) {
            ok &= run("versions", new Versions(client, stranger)::run);
            ok &= run("projects", new Projects(client, work)::run);
            ok &= run("workflows", new Workflows(client, work)::run);
            ok &= run("attempts", new Attempts(client, admin, work)::run);
            ok &= run("resuming", new Resuming(client, work)::run);
            ok &= run("kill", new Kill(client, work)::run);
            ok &= run("schedules", new Schedules(client, work)::run);
            ok &= run("secrets", new Secrets(client, work)::run);
        }
        System.exit(ok ? 0 : 1);
    }

    private static DigdagClient connect(String place, String password) {
        String[] address = System.getenv(place).split(":");
        String login = Base64.getEncoder().encodeToString(("java:" + password).getBytes(StandardCharsets.UTF_8));
        return DigdagClient.builder().host(address[0]).port(Integer.parseInt(address[1])).header("Authorization", "Basic " + login).build();
    }

    private static boolean run(String name, Part part) {
        try {
            part.run();
            System.out.println("ok: " + name);
            return true;
        } catch (Check.Failure e) {
            System.out.println("FAILED: " + name + ": " + e.getMessage());
        } catch (Exception e) {
            System.out.println("FAILED: " + name);
            e.printStackTrace(System.out);
        }
        return false;
    }
}

import io.digdag.client.DigdagClient;
import io.digdag.client.api.Id;
import io.digdag.client.api.RestVersionCheckResult;

/** Versions (server 2.6.1), and who may ask (3.6). */
final class Versions {
    private final DigdagClient client;
    private final DigdagClient stranger;

    Versions(DigdagClient client, DigdagClient stranger) {
        this.client = client;
        this.stranger = stranger;
    }

    void run() {
        Object version = stranger.getVersion().get("version");
        Check.holds("the version is told to everybody", version instanceof String);
        RestVersionCheckResult check = client.checkClientVersion("0.10.0");
        // Digdag's clients name it in their advice, so it is the version of Digdag that the server stands for.
        Check.equal("server version", "0.10.6", check.getServerVersion());
        Check.equal("upgrade recommended", false, check.getUpgradeRecommended());
        Check.equal("API compatible", true, check.getApiCompatible());
        Check.refused("a wrong password", 401, stranger::getProjects);
        Check.refused("a wrong password", 401, "unauthorized", () -> stranger.killSessionAttempt(Id.of("1")));
    }
}

import java.util.Objects;
import java.util.function.Supplier;
import javax.ws.rs.WebApplicationException;
import javax.ws.rs.core.Response;

/** Looks at what the client got, and says what was wrong with it. */
final class Check {
    private static final long WAIT_NANOS = 30_000_000_000L;

    private Check() {}

    /** A sentence that says which expectation was not met. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    static void equal(String what, Object want, Object got) {
        if (!Objects.equals(want, got)) {
            throw new Failure(what + " = " + got + ", want " + want);
        }
    }

    static void contains(String what, String want, String got) {
        if (!got.contains(want)) {
            throw new Failure(what + " = " + got + ", want something with " + want);
        }
    }

    static void holds(String what, boolean fact) {
        if (!fact) {
            throw new Failure(what + ": it is not so");
        }
    }

    /** The call must be refused with this status. */
    static void refused(String what, int status, Runnable call) {
        equal("status of " + what, status, refusal(what, call).getStatus());
    }

    /** The call must be refused with this status and a body with this text. Of answers to GET the client keeps no body. */
    static void refused(String what, int status, String text, Runnable call) {
        Response answer = refusal(what, call);
        equal("status of " + what, status, answer.getStatus());
        contains("answer to " + what, text, answer.readEntity(String.class));
    }

    private static Response refusal(String what, Runnable call) {
        try {
            call.run();
        } catch (WebApplicationException e) {
            return e.getResponse();
        }
        throw new Failure(what + " was not refused");
    }

    /** Asks again and again until the fact holds, as Digdag's own commands do. */
    static void await(String what, Supplier<Boolean> fact) throws InterruptedException {
        long began = System.nanoTime();
        while (!fact.get()) {
            if (System.nanoTime() - began > WAIT_NANOS) {
                throw new Failure(what + ": it did not become so within 30 s");
            }
            Thread.sleep(20);
        }
    }
}

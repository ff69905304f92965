import { ApiProblem } from "@svc/client";
import { describe, expect, test } from "vitest";
import { outcomeMessage, refusalMessage, statusSentence } from "./labels.ts";

describe("a command that failed", () => {
  const failed = (error: string | null, result: unknown = null) =>
    statusSentence({
      action: "retry_task",
      is_repeatable: false,
      status: "failed",
      dispatched_at: "2026-03-01T06:00:00.000Z",
      error,
      result,
    });

  test("shows the error of its agent", () => {
    expect(failed("the queue mail is unknown")).toBe("Failed: the queue mail is unknown");
    expect(failed(null)).toBe("Failed.");
  });

  test("has an unknown outcome if its agent does not know it", () => {
    const unknown = { outcome: "unknown" };
    expect(failed("the broker hung up", unknown)).toBe("Outcome unknown: the broker hung up");
    expect(failed(null, unknown)).toBe("Outcome unknown.");
    // The result is hidden from viewers.
    expect(failed("outcome unknown: the agent stopped")).toBe("Outcome unknown: the agent stopped");
  });

  test.each([
    "Redis: connection lost. Outcome unknown: the command may have run.",
    "1 of 2 processes did not answer in time. 0 with a worker w did. Outcome unknown at the others.",
  ])("says only once that the outcome is unknown: %s", (error) => {
    expect(failed(error)).toBe(error);
  });
});

test.each([
  [false, null, "Timed out before the agent fetched it. It did not run."],
  [
    false,
    "2026-03-01T06:00:00.000Z",
    "Outcome unknown: no result arrived in time. Check the target before you send it again.",
  ],
  [true, null, "Outcome unknown: no result arrived in time. Check the target before you send it again."],
] as const)(
  "a timed-out command that is repeatable (%s) and was sent at %s says: %s",
  (is_repeatable, sent, sentence) => {
    const command = { action: "schedule.fire", is_repeatable, status: "timeout", dispatched_at: sent } as const;
    expect(statusSentence({ ...command, error: null, result: null })).toBe(sentence);
  },
);

const notFound = (resource: string) =>
  new ApiProblem({ code: "not_found", status: 404, message: "not found", details: { resource } });

test("only an agent that is not found is called revoked", () => {
  expect(refusalMessage(notFound("agent"))).toBe("The agent was revoked.");
  for (const resource of ["project", "command", "bulk_retry_request"])
    expect(refusalMessage(notFound(resource))).toMatch(/^Not found/);
});

test("a refusal says that nothing was done only if that is known", () => {
  expect(outcomeMessage(false, "Nothing was purged.")).toBe("Nothing was purged.");
  const unknown = "We couldn't confirm the request. It's safe to try again here: it won't run twice.";
  expect(outcomeMessage(true, "Nothing was purged.")).toBe(unknown);
});

test("the message of a run names the next request", () => {
  expect(outcomeMessage(true, "The rest was not requested.", "the next request")).toMatch(
    /^We couldn't confirm the next request[.]/,
  );
});

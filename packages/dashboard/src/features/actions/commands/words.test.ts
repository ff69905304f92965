import { ApiProblem } from "@svc/client";
import { describe, expect, test } from "vitest";
import { outcomeWords, refusalWords, statusSentence } from "./words.ts";

describe("a command that failed", () => {
  const failed = (error: string | null, result: unknown = null) => statusSentence({ status: "failed", error, result });

  test("was not done, in the words of its agent", () => {
    expect(failed("the queue mail is unknown")).toBe("The agent could not do it: the queue mail is unknown");
    expect(failed(null)).toBe("The agent could not do it.");
  });

  test("is told as neither done nor undone where its agent does not know", () => {
    const unknown = { outcome: "unknown" };
    expect(failed("the broker hung up", unknown)).toBe("Nobody knows whether it took effect: the broker hung up");
    expect(failed(null, unknown)).toBe("Nobody knows whether it took effect.");
    // The result is hidden from viewers.
    expect(failed("outcome unknown: the agent stopped")).toMatch(/^Nobody knows whether it took effect: /);
  });
});

const notFound = (resource: string) =>
  new ApiProblem({ code: "not_found", status: 404, message: "not found", details: { resource } });

test("only an agent that is not found was revoked", () => {
  expect(refusalWords(notFound("agent"))).toBe("The agent is not here any more: it was revoked.");
  for (const resource of ["project", "command", "bulk_retry_request"])
    expect(refusalWords(notFound(resource))).toMatch(/^Not found/);
});

test("a refusal says that nothing was done only where that is known", () => {
  expect(outcomeWords(false, "Nothing was purged.")).toBe("Nothing was purged.");
  const unknown = "Whether it was asked for is not known. Pressed again here, it is not made twice.";
  expect(outcomeWords(true, "Nothing was purged.")).toBe(unknown);
});

test("of a run the next request is named", () => {
  expect(outcomeWords(true, "The rest was not asked for.", "the next of them")).toMatch(
    /^Whether the next of them was asked for is not known[.]/,
  );
});

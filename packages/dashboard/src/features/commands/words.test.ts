import { ApiProblem } from "@svc/client";
import { expect, test } from "vitest";
import { outcomeWords, refusalWords } from "./words.ts";

const notFound = (resource: string) =>
  new ApiProblem({ code: "not_found", status: 404, message: "not found", details: { resource } });

test("only an agent that is not found was revoked", () => {
  expect(refusalWords(notFound("agent"))).toBe("The agent is not here any more: it was revoked.");
  for (const resource of ["project", "command", "bulk_retry_request"])
    expect(refusalWords(notFound(resource))).toMatch(/^It is not here/);
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

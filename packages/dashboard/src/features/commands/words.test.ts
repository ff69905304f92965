import { ApiProblem } from "@svc/client";
import { expect, test } from "vitest";
import { refusalWords } from "./words.ts";

const notFound = (resource: string) =>
  new ApiProblem({ code: "not_found", status: 404, message: "not found", details: { resource } });

test("only an agent that is not found was revoked", () => {
  expect(refusalWords(notFound("agent"))).toBe("The agent is not here any more: it was revoked.");
  for (const resource of ["project", "command", "bulk_retry_request"])
    expect(refusalWords(notFound(resource))).toMatch(/^It is not here/);
});

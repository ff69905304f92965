import { ApiProblem } from "@svc/client";
import { describe, expect, test } from "vitest";
import { CliError } from "../command-line/exit-codes.ts";
import { explainProblem } from "./problems.ts";

const context = { address: "https://svc.example.com", credential: "key" } as const;

function explained(facts: { code: string; status: number; message?: string; details?: Record<string, unknown> }) {
  const { exit, message } = explainProblem(new ApiProblem({ message: "refused", ...facts }), context);
  return { exit, lines: message.split("\n     ") };
}

describe("a refusal", () => {
  test.each([
    ["unreadable", 502, "unreachable"],
    ["unready", 503, "unreachable"],
    ["unaddressable", 0, "usage"],
    ["not_found", 404, "notFound"],
    ["rate_limited", 429, "failed"],
    ["internal_error", 500, "failed"],
    ["adapter_error", 502, "failed"],
    ["command_timeout", 504, "failed"],
    ["session_expired", 410, "refused"],
    ["conflict", 409, "refused"],
    ["validation_error", 422, "refused"],
    ["unauthenticated", 401, "refused"],
    ["csrf_failed", 403, "refused"],
  ])("%s (%i) exits with the code of %s", (code, status, exit) => {
    expect(explained({ code, status }).exit).toBe(exit);
  });

  test.each([
    [{ required: "tasks:read" }, "the key in SVC_API_KEY lacks the required scope. The dashboard shows its scopes"],
    [{ reason: "session_only" }, "API keys are not accepted. Unset SVC_API_KEY and run svc login"],
  ])("scope_missing with %j says what to do", (details, hint) => {
    expect(explained({ code: "scope_missing", status: 403, details }).lines.join(" ")).toContain(hint);
  });

  test("of a listing names the online agents and their capabilities", () => {
    const agents = [
      { agent_id: "1", name: "shop", engines: ["bullmq"], capabilities: { bullmq: ["retry_task", "cancel_task"] } },
      { agent_id: "2", name: "quiet", engines: [], capabilities: {} },
    ];
    expect(explained({ code: "conflict", status: 409, details: { engine: "celery", agents } }).lines).toEqual([
      "refused",
      "engine: celery",
      "online: shop supports bullmq (retry_task, cancel_task)",
      "online: quiet supports nothing",
    ]);
    expect(explained({ code: "conflict", status: 409, details: { engine: "celery", agents: [] } }).lines).toEqual([
      "refused",
      "engine: celery",
      "no agent is online",
    ]);
  });

  test("of too many tasks shows how many match, and the option", () => {
    const details = { matched: 3000, max: 1000 };
    expect(explained({ code: "validation_error", status: 422, details }).lines).toEqual([
      "refused",
      "matched: 3000",
      "max: 1000",
      "raise --max, up to 10,000",
    ]);
  });

  test("shows each fault of the request once", () => {
    const errors = [
      { loc: ["body", "filter", "since"], type: "format", message: "must be a time" },
      { loc: ["body"], type: "other", message: "refused" },
    ];
    expect(explained({ code: "validation_error", status: 422, details: { errors } }).lines).toEqual([
      "refused",
      "filter.since must be a time",
    ]);
  });

  test("escapes control characters", () => {
    const details = { reason: "\u001b]0;title\u0007" };
    expect(explained({ code: "conflict", status: 409, message: "a\u009bb", details }).lines).toEqual([
      "a\\u009bb",
      "reason: \\u001b]0;title\\u0007",
    ]);
  });

  test("that this program found itself is returned unchanged", () => {
    const cause = new CliError("configuration", "own message");
    const problem = new ApiProblem({ code: "unreachable", status: 0, message: "the server did not answer", cause });
    expect(explainProblem(problem, context)).toBe(cause);
  });
});

test.each<[{ slug?: string; what?: string }, string | undefined, string]>([
  [{ slug: "shop", what: "task 1 of bullmq" }, "task", "task 1 of bullmq in project shop"],
  [{ slug: "shop", what: "task 1 of bullmq" }, "project", "project shop"],
  [{ slug: "shop", what: "task 1" }, "agent", "agent"],
  [{ slug: "shop" }, "agent", "agent"],
  [{ slug: "shop" }, undefined, "project shop"],
  [{}, undefined, "resource"],
])("for %j and a missing %s the message names %s", ({ what, ...named }, resource, name) => {
  const details = resource === undefined ? {} : { resource };
  const problem = new ApiProblem({ code: "not_found", status: 404, message: "not found", details });
  const { message } = explainProblem(problem, { ...context, ...named }, what);
  expect(message).toBe(`${name} not found. It may have been deleted, or you may not have access`);
});

import { ApiProblem } from "@svc/client";
import { describe, expect, test } from "vitest";
import { follow } from "./follow.ts";

const refusal = (code: string, status: number, retryAfterSeconds: number | null = 0) =>
  new ApiProblem({ code, status, message: code, retryAfterSeconds });

/** Returns or throws the steps in order. */
function script(...steps: (string | ApiProblem)[]) {
  const left = [...steps];
  return async () => {
    const next = left.shift();
    if (typeof next === "string") return next;
    throw next ?? new Error("too many reads");
  };
}

const isDone = (value: string) => value === "done";

describe("follow", () => {
  test("polls until it is done and reports each value", async () => {
    const seen: string[] = [];
    const read = script("begun", "half", "done", "never read");
    expect(await follow(read, { isDone, onRead: (value) => seen.push(value) > 0 })).toBe("done");
    expect(seen).toEqual(["begun", "half", "done"]);
  });

  test.each([
    ["that is unreachable", refusal("unreachable", 0)],
    ["that is not ready", refusal("unready", 503)],
    ["that rate-limits", refusal("rate_limited", 429)],
  ])("waits for a service %s", async (_what, fault) => {
    expect(await follow(script("begun", fault, fault, "done"), { isDone })).toBe("done");
  });

  test("gives up when the service is unavailable longer than a restart takes", async () => {
    const unavailable = refusal("unready", 503, 61);
    await expect(follow(script("begun", unavailable), { isDone })).rejects.toBe(unavailable);
  });

  test.each([
    ["not_found", 404],
    ["forbidden", 403],
    ["internal_error", 500],
  ] as const)("gives up immediately for %s", async (code, status) => {
    const fault = refusal(code, status);
    await expect(follow(script(fault), { isDone })).rejects.toBe(fault);
  });
});

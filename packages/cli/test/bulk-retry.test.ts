import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { waitFor } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { svc } from "./in-process.ts";
import { scratchFolder } from "./svc-process.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startTestBrain();
  const { adapter } = await brain.connectAgent();
  adapter.emitTasks(3, { queue: "mail" });
  adapter.emitTasks(2, { queue: "other" });
  await waitFor(async () => (await brain.as.viewer.get("/projects/shop/tasks")).body.items.length === 5);
});
afterAll(() => brain?.stop());

/** Runs `svc bulk-retry` with the operator's session. */
async function ask(args: readonly string[], more: Record<string, string> = {}) {
  const home = await scratchFolder();
  const cookies = Object.fromEntries(brain.as.operator.cookie.split("; ").map((pair) => pair.split("=")));
  const session = { brain_url: brain.url, email: "operator@example.org", cookies };
  await writeFile(join(home, "session.json"), JSON.stringify(session), { mode: 0o600 });
  return svc(["bulk-retry", ...args], { SVC_HOME: home, ...more });
}

describe("svc bulk-retry create", () => {
  test.each([
    [["--queue", "mail", "--state", "pending"], "3 tasks"],
    [["--engine", "scripted", "--state", "pending", "--priority", "normal", "--since", "1h"], "5 tasks"],
    [["--engine", 'an "other" one', "--state", "pending"], "0 tasks"],
    [["--all"], "0 tasks"],
    [["--engine", "scripted", "--task", "task-0", "--task", "task-0"], "1 task"],
  ])("with %j shows the number of matches and retries nothing without confirmation", async (words, count) => {
    const { code, out, err } = await ask(["create", ...words]);
    expect({ code, out, err }).toEqual({
      code: 6,
      out: "",
      err: `svc: nothing was retried. Use --yes to retry ${count} without confirmation\n`,
    });
  });

  test.each([
    [[], "missing a filter, or --all"],
    [["--all", "--queue", "mail"], "--all does not accept filters"],
    [["--task", "1"], "--task requires --engine"],
    [["--task", "1", "--engine", "scripted", "--priority", "low"], "--task does not accept --priority"],
    [["--queue", "mail", "--max", "10001"], "--max must be a whole number from 1 to 10000"],
    [["--queue", "mail", "--canary-failures", "1"], "--canary-failures requires --canary"],
    [["--queue", "mail", "--state", "broken"], "--state must be one of"],
  ])("exits with 2 for %j", async (words, message) => {
    const { code, err } = await ask(["create", ...words]);
    expect(code).toBe(2);
    expect(err).toContain(`svc: ${message}`);
  });

  test("uses the session even when an API key is set", async () => {
    const planted = { SVC_API_KEY: "svk_planted" };
    expect(await ask(["create", "--all"], planted)).toMatchObject({
      code: 6,
      err: expect.stringContaining("retry 0 tasks"),
    });
  });
});

test.each(["show", "watch", "pause", "resume"])(
  "svc bulk-retry %s requires the id of an existing request",
  async (what) => {
    expect(await ask([what])).toMatchObject({ code: 2, err: expect.stringContaining("missing REQUEST_ID") });
    const { code, err } = await ask([what, "00000000-0000-7000-8000-000000000000"]);
    expect(code).toBe(5);
    expect(err).toContain("bulk retry request 00000000-0000-7000-8000-000000000000 in project shop not found");
  },
);

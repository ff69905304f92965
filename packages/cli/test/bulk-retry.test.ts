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

/** As the operator, signed in. */
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
    [["--engine", "scripted", "--task", "task-0", "--task", "task-0"], "1 named task"],
  ])("with %j tells how many match, and retries none of them unasked", async (words, count) => {
    const { code, out, err } = await ask(["create", ...words]);
    expect({ code, out, err }).toEqual({
      code: 6,
      out: "",
      err: `svc: nothing was retried of ${count}; --yes retries without asking\n`,
    });
  });

  test.each([
    [[], "say which tasks"],
    [["--all", "--queue", "mail"], "--all goes without filters"],
    [["--task", "1"], "--task needs --engine"],
    [["--task", "1", "--engine", "scripted", "--priority", "low"], "--task and --priority do not go together"],
    [["--queue", "mail", "--max", "10001"], "--max is a whole number, 1 to 10000"],
    [["--queue", "mail", "--canary-failures", "1"], "--canary-failures needs --canary"],
    [["--queue", "mail", "--state", "broken"], "--state is one of"],
  ])("ends with 2 for %j", async (words, message) => {
    const { code, err } = await ask(["create", ...words]);
    expect(code).toBe(2);
    expect(err).toContain(`svc: ${message}`);
  });

  test("takes the session even where a key is set, as no key may do it", async () => {
    const planted = { SVC_API_KEY: "svk_planted" };
    expect(await ask(["create", "--all"], planted)).toMatchObject({
      code: 6,
      err: expect.stringContaining("of 0 tasks"),
    });
  });
});

test.each(["show", "watch", "pause", "resume"])(
  "svc bulk-retry %s needs an id, and one that is there",
  async (what) => {
    expect(await ask([what])).toMatchObject({ code: 2, err: expect.stringContaining("name the bulk retry by its id") });
    const { code, err } = await ask([what, "00000000-0000-7000-8000-000000000000"]);
    expect(code).toBe(5);
    expect(err).toContain("there is no bulk retry request 00000000-0000-7000-8000-000000000000 in project shop");
  },
);

import { startTestBrain, type TestBrain, type TestRole } from "@svc/testkit/brain";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { svc } from "./in-process.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

type Parameters = Readonly<Record<string, string>>;

let brain: TestBrain;
let agent: RawAgent;
/** Commands that the agent received, in order. */
const carriedOut: string[] = [];
const keys = new Map<TestRole, string>();

beforeAll(async () => {
  brain = await startTestBrain();
  for (const role of ["viewer", "operator"] as const) {
    const scopes = ["commands:write", "tasks:read", "projects:read"];
    keys.set(role, (await brain.as[role].post("/api-keys", { name: role, scopes })).body.token);
  }
  const { token, hmacSecret } = await brain.mintAgent();
  const tokens = ["retry_task", "cancel_task", "requeue_dead_letter", "retry_by_reference_v1"];
  const hello = rawHello({ capabilities: { bullmq: tokens } });
  agent = await connectRaw({ url: brain.url, token, hmacSecret }, { hello });
  carryOutAll();
});
afterAll(async () => {
  await agent?.close();
  await brain?.stop();
});

/** Answers every command. Commands on tasks whose id starts with `bad` fail. */
function carryOutAll(): void {
  let next = 0;
  agent.socket.on("message", () => {
    for (; next < agent.frames.length; next += 1) {
      const frame = agent.frames[next]!;
      if (frame.type !== "command") continue;
      const payload = frame.payload as { action: string; parameters: Parameters; delivery_claim_token: string };
      const { task_id: taskId = "" } = payload.parameters;
      carriedOut.push(`${payload.action} ${taskId}`);
      const outcome = taskId.startsWith("bad")
        ? { status: "failed", error: "the job is \u001b[31mlocked" }
        : { status: "success", result: { task_id: taskId, new_task_id: `${taskId}-again` } };
      const token = { delivery_claim_token: payload.delivery_claim_token };
      agent.sendFrame("command_ack", token, frame.id);
      agent.sendFrame("command_result", { ...token, ...outcome }, frame.id);
    }
  });
}

const ask = (args: readonly string[], role: TestRole = "operator") =>
  svc(args, { SVC_BRAIN_URL: brain.url, SVC_API_KEY: keys.get(role) ?? "" });

describe("svc tasks retry", () => {
  test("waits for the result and prints it", async () => {
    const { code, out, err } = await ask(["tasks", "retry", "bullmq", "mail:1"]);
    expect({ code, out }).toEqual({ code: 0, out: "mail:1  completed as mail:1-again\n" });
    expect(err).toMatch(/^svc: issued command \S{36}\. Follow it with svc commands watch \S{36}\n$/);
    expect(carriedOut).toContain("retry_task mail:1");
  });

  test("exits with 1 when the agent failed, with its error and escaped control characters", async () => {
    const { code, out } = await ask(["tasks", "retry", "bullmq", "bad:1"]);
    expect({ code, out }).toEqual({ code: 1, out: "bad:1  failed: the job is \\u001b[31mlocked\n" });
  });

  test("runs several tasks, even if one is refused, and prints all as JSON", async () => {
    const long = "x".repeat(201);
    const { code, out } = await ask(["tasks", "retry", "bullmq", "many:1", long, "many:2", "many:1", "--json"]);
    expect(code).toBe(1);
    const { commands, refused } = JSON.parse(out);
    expect(commands.map(({ status, target_id }: Parameters) => [target_id, status]).sort()).toEqual([
      ["many:1", "completed"],
      ["many:2", "completed"],
    ]);
    expect(refused).toEqual([{ task_id: long, error: "validation_error", message: expect.any(String) }]);
  });

  test("with the same key issues nothing new", async () => {
    const retry = async (taskId: string) => ask(["tasks", "retry", "bullmq", taskId, "--key", "deploy-1", "--json"]);
    const [first] = JSON.parse((await retry("keyed:1")).out).commands;
    const [second] = JSON.parse((await retry("keyed:1")).out).commands;
    expect(second.id).toBe(first.id);
    expect(carriedOut.filter((what) => what === "retry_task keyed:1")).toHaveLength(1);
    const { code, err } = await retry("keyed:2");
    expect(code).toBe(6);
    expect(err).toContain("svc: the request conflicts with the current state");
  });

  test("accepts new inputs and a delay", async () => {
    const words = ["--args", "[12345678901234567890]", "--kwargs", '{"a":2}', "--in", "10m", "--json"];
    const { out } = await ask(["tasks", "retry", "bullmq", "new:1", ...words]);
    const [command] = JSON.parse(out).commands;
    expect(out).toContain('"override_args":[12345678901234567890]');
    expect(command.payload).toMatchObject({ override_kwargs: { a: 2 } });
    expect(Date.parse(command.payload.eta) - Date.parse(command.issued_at)).toBeGreaterThan(590_000);
  });

  test.each([
    [["bullmq"], "missing ENGINE or TASK_ID"],
    [["bullmq", "1", "--args", "[]"], "--args and --kwargs require each other"],
    [["bullmq", "1", "--args", "{}", "--kwargs", "{}"], "--args must be a JSON array"],
    [["bullmq", "1", "--args", "[]", "--kwargs", "nonsense"], "--kwargs must be a JSON object"],
    [["bullmq", "1", "2", "--args", "[]", "--kwargs", "{}"], "--args and --kwargs require a single task"],
    [["bullmq", "1", "2", "--key", "k"], "--key requires a single task"],
    [["bullmq", "1", "--in", "soon"], "--in must be a duration"],
    [["bullmq", "1", "--in", "2d"], "--in must be at most 86400 s"],
  ])("exits with 2 for %j", async (words, message) => {
    const { code, err } = await ask(["tasks", "retry", ...words]);
    expect(code).toBe(2);
    expect(err).toContain(`svc: ${message}`);
  });

  test("exits with 6 and the reason when no agent supports it", async () => {
    const { code, err } = await ask(["tasks", "retry", "celery", "1"]);
    expect(code).toBe(6);
    expect(err).toContain("svc: the agent does not serve the engine\n     engine: celery\n");
  });

  test("exits with 5 for a missing agent", async () => {
    const agentId = "00000000-0000-7000-8000-000000000000";
    expect(await ask(["tasks", "retry", "bullmq", "1", "--agent", agentId])).toMatchObject({ code: 5 });
  });

  test("exits with 6 for a viewer, with the required role", async () => {
    const { code, err } = await ask(["tasks", "retry", "bullmq", "1"], "viewer");
    expect(code).toBe(6);
    expect(err).toContain("svc: this action is not allowed\n     required: operator\n");
  });
});

describe("svc tasks cancel and svc dead-letters requeue", () => {
  test("run their commands", async () => {
    expect(await ask(["tasks", "cancel", "bullmq", "mail:2"])).toMatchObject({ code: 0 });
    expect(await ask(["dead-letters", "requeue", "bullmq", "mail:3", "mail:4"])).toMatchObject({ code: 0 });
    expect(carriedOut).toEqual(
      expect.arrayContaining(["cancel_task mail:2", "requeue_dead_letter mail:3", "requeue_dead_letter mail:4"]),
    );
  });

  test.each([
    [["bullmq"], "missing ENGINE or TASK_ID"],
    [["--all"], "missing ENGINE"],
    [["bullmq", "1", "--all"], "--all does not accept task ids"],
    [["bullmq", "1", "--queue", "mail"], "--queue requires --all"],
    [["bullmq", "--all", "--key", "k"], "--key requires a single task"],
  ])("exit with 2 for %j", async (words, message) => {
    const { code, err } = await ask(["dead-letters", "requeue", ...words]);
    expect(code).toBe(2);
    expect(err).toContain(`svc: ${message}`);
  });
});

describe("svc commands", () => {
  test("are listed, shown and watched", async () => {
    const sent = await ask(["tasks", "retry", "bullmq", "later:1", "--no-wait"]);
    const [, id = ""] = /^later:1 {2}command (\S{36})\n$/.exec(sent.out) ?? [];
    expect(sent.code).toBe(0);

    const watched = await ask(["commands", "watch", id]);
    expect(watched.code).toBe(0);
    expect(watched.out).toMatch(new RegExp(`^\\S+ {2}${id} {2}retry_task later:1 {2}completed as later:1-again$`, "m"));
    expect(JSON.parse((await ask(["commands", "watch", id, "--json"])).out)).toMatchObject({ id, status: "completed" });

    const shown = await ask(["commands", "show", id]);
    expect(shown.out).toMatch(/^status +completed$/m);
    const { items } = JSON.parse((await ask(["commands", "list", "--action", "retry_task", "--json"])).out);
    expect(items[0]).toMatchObject({ id, target_id: "later:1" });
    expect((await ask(["commands", "list", "--status", "completed", "--limit", "1"])).out).toMatch(
      new RegExp(`^ID +STATUS +ACTION +TARGET +ISSUED +ERROR\n${id} +completed +retry_task +later:1 `),
    );
  });

  test("that failed end watching with 1", async () => {
    const sent = await ask(["tasks", "retry", "bullmq", "bad:2", "--no-wait", "--json"]);
    const [{ id }] = JSON.parse(sent.out).commands;
    expect(await ask(["commands", "watch", id])).toMatchObject({ code: 1 });
  });

  test("are followed until Ctrl-C", async () => {
    const env = { SVC_BRAIN_URL: brain.url, SVC_API_KEY: keys.get("operator") ?? "" };
    const watching = startSvc(["commands", "watch"], { cwd: await scratchFolder(), env });
    await watching.prints(/watching the commands of shop/);
    await ask(["tasks", "retry", "bullmq", "seen:1"]);
    await watching.prints(/retry_task seen:1 {2}completed as seen:1-again/);
    watching.child.kill("SIGINT");
    expect(await watching.ended).toBe(0);
    expect(watching.written.out).not.toContain("later:1");
  });

  test("hide inputs and results from a viewer", async () => {
    const { items } = JSON.parse((await ask(["commands", "list", "--json"], "viewer")).out);
    expect(items.length).toBeGreaterThan(0);
    for (const { payload, result } of items) expect({ payload, result }).toEqual({ payload: {}, result: null });
  });

  test("that are missing exit with 5", async () => {
    const id = "00000000-0000-7000-8000-000000000000";
    for (const what of ["show", "watch"]) {
      const { code, err } = await ask(["commands", what, id]);
      expect(code).toBe(5);
      expect(err).toContain(`svc: command ${id} in project shop not found`);
    }
  });

  test("require an id to show, and a valid status to list", async () => {
    expect(await ask(["commands", "show"])).toMatchObject({ code: 2 });
    expect(await ask(["commands", "list", "--status", "done"])).toMatchObject({ code: 2 });
  });
});

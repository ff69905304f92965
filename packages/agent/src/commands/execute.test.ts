import { createManualClock, createScriptedAdapter, type ScriptedAdapter } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import { type Command, type CommandOutcome, readCommand } from "./command.ts";
import { executeCommand } from "./execute.ts";

const secret = Buffer.alloc(32, 7);
const done = { status: "success", result: {} } as const;

/** An adapter that records its calls. */
function adapterOf(name: string, capabilities: readonly string[]): { adapter: ScriptedAdapter; seen: Command[] } {
  const seen: Command[] = [];
  const adapter = createScriptedAdapter(name, capabilities);
  adapter.answerCommands((command) => {
    seen.push(command);
    return Promise.resolve(done);
  });
  return { adapter, seen };
}

function execute(command: Command, ...engines: ScriptedAdapter[]): Promise<CommandOutcome> {
  return executeCommand(command, { engines, secret, clock: createManualClock() });
}

function commandOf(payload: Record<string, unknown>): Command {
  return readCommand("c", { action: "retry_task", ...payload }, undefined);
}

test.each([
  [{ target: { engine: "celery" }, parameters: { engine: "rq" } }, "celery"],
  [{ parameters: { engine: "rq", filter: { engine: "pg-boss" } } }, "rq"],
  [{ parameters: { filter: { engine: "pg-boss" } } }, "pg-boss"],
  [{ target: { engine: "" } }, "bullmq"],
  [{}, "bullmq"],
])("the engine of %j is %s", (payload, engine) => {
  expect(readCommand("c", payload, "bullmq").engine).toBe(engine);
});

test("invalid values are empty, and the timeout is 60 s", () => {
  const payload = { action: 7, target: "t", parameters: [1], timeout_seconds: 3_601 };

  expect(readCommand("c", payload, undefined)).toEqual({
    id: "c",
    action: "",
    engine: undefined,
    target: {},
    parameters: {},
    timeoutSeconds: 60,
  });
});

test("a command goes to the adapter of its engine and to no other", async () => {
  const first = adapterOf("bullmq", ["retry_task"]);
  const second = adapterOf("celery", ["retry_task"]);

  const outcome = await execute(
    commandOf({ target: { engine: "celery" }, parameters: { task_id: "t1" } }),
    first.adapter,
    second.adapter,
  );

  expect(outcome).toEqual(done);
  expect(first.seen).toEqual([]);
  expect(second.seen).toMatchObject([{ action: "retry_task", parameters: { task_id: "t1" } }]);
});

test.each([
  ["retry_task", "retry_task"],
  ["dlq.list", "list_dead_letters"],
  ["schedule.fire", "submit_task"],
])("%s is executed by an adapter with %s only", async (action, capability) => {
  const command = commandOf({ action, target: { engine: "bullmq" } });
  const able = adapterOf("bullmq", [capability]);
  const unable = adapterOf("bullmq", ["retry_by_reference_v1"]);

  expect(await execute(command, able.adapter)).toEqual(done);
  expect(await execute(command, unable.adapter)).toEqual({
    status: "failed",
    error: `unsupported: the bullmq adapter does not support ${capability} as it runs here`,
  });
  expect(unable.seen).toEqual([]);
});

test("an adapter that can only resubmit receives retries with both overrides and no others", async () => {
  const { adapter, seen } = adapterOf("celery", ["retry_task", "bulk_retry", "retry_resubmits"]);
  const overrides = { override_args: [], override_kwargs: {} };
  const bare = [
    commandOf({ parameters: { engine: "celery", task_id: "t1" } }),
    commandOf({ parameters: { engine: "celery", task_id: "t1", ...overrides, override_args: null } }),
    commandOf({ action: "bulk_retry", parameters: { filter: { engine: "celery", task_ids: ["t1"] }, max: 1 } }),
  ];

  for (const command of bare) {
    expect(await execute(command, adapter)).toEqual({
      status: "failed",
      error: "unsupported: celery retries by submitting a new task, which requires override_args and override_kwargs",
    });
  }
  expect(seen).toEqual([]);
  expect(await execute(commandOf({ parameters: { engine: "celery", ...overrides } }), adapter)).toEqual(done);
});

test.each([
  [{ action: "", target: { engine: "bullmq" } }, "unsupported: the command has no action"],
  [
    { action: "constructor", target: { engine: "bullmq" } },
    "unsupported: this version of the agent does not support the command constructor",
  ],
  [{}, "unsupported: the command names no engine, and this agent watches several (bullmq, celery)"],
  [{ target: { engine: "rq" } }, "unsupported: this agent does not watch rq, only bullmq, celery"],
])("%j is refused with a reason", async (payload, error) => {
  const first = adapterOf("bullmq", ["retry_task"]);
  const second = adapterOf("celery", ["retry_task"]);

  const outcome = await execute(commandOf(payload), first.adapter, second.adapter);

  expect(outcome).toEqual({ status: "failed", error });
  expect([...first.seen, ...second.seen]).toEqual([]);
});

test("an adapter that only watches executes nothing, whatever it lists", async () => {
  const { adapter } = adapterOf("bullmq", ["retry_task"]);
  Object.assign(adapter, { execute: undefined });

  expect(await execute(commandOf({ target: { engine: "bullmq" } }), adapter)).toMatchObject({
    status: "failed",
    error: expect.stringContaining("does not support retry_task"),
  });
});

test("an adapter whose capabilities throw has none", async () => {
  const { adapter, seen } = adapterOf("bullmq", ["retry_task"]);
  adapter.capabilities = () => {
    throw new Error("not now");
  };

  expect(await execute(commandOf({ target: { engine: "bullmq" } }), adapter)).toMatchObject({
    status: "failed",
    error: expect.stringContaining("does not support retry_task"),
  });
  expect(seen).toEqual([]);
});

import { schedulerCapabilityTokens } from "@svc/protocol";
import { createManualClock, createScriptedAdapter } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import type { EngineAdapter } from "../adapter.ts";
import type { SchedulerAdapter } from "../schedules/scheduler-adapter.ts";
import { type Command, type CommandOutcome, readCommand } from "./command.ts";
import { executeCommand } from "./execute.ts";

/** An engine with a scheduler, which records its commands. */
function engineOf(name: string, scheduler = name, capabilities: SchedulerTokens = schedulerCapabilityTokens) {
  const seen: Command[] = [];
  const scripted = createScriptedAdapter(name, ["retry_task"]);
  scripted.answerCommands(async (command) => {
    seen.push(command);
    return { status: "success", result: { schedulers_drained: [scheduler] } };
  });
  const adapter: EngineAdapter = Object.assign(scripted, {
    scheduler: { name: scheduler, capabilities: () => capabilities },
  });
  return { adapter, scripted, seen };
}

type SchedulerTokens = ReturnType<SchedulerAdapter["capabilities"]>;

function execute(payload: object, ...engines: EngineAdapter[]): Promise<CommandOutcome> {
  const only = engines.length === 1 ? engines[0]?.name : undefined;
  const command = readCommand("c", { ...payload }, only);
  return executeCommand(command, { engines, secret: Buffer.alloc(32), clock: createManualClock() });
}

test.each([
  ["the scheduler in its parameters", { parameters: { scheduler: "beat" } }],
  ["the scheduler in its target", { target: { scheduler: "beat", engine: "bullmq" } }],
  ["the scheduler named as its engine", { parameters: { engine: "beat" } }],
  ["the engine of the scheduler", { target: { engine: "celery" } }],
])("a command for a schedule goes to %s", async (_, payload) => {
  const [bullmq, celery] = [engineOf("bullmq"), engineOf("celery", "beat")];

  const outcome = await execute({ action: "schedule.disable", ...payload }, bullmq.adapter, celery.adapter);

  expect(outcome.status).toBe("success");
  expect([bullmq.seen.length, celery.seen.length]).toEqual([0, 1]);
});

test.each([
  [{ parameters: { scheduler: "cron" } }, "this agent does not mirror the schedules of cron, only bullmq, beat"],
  [{}, "the command names no scheduler, and this agent has several engines. It mirrors bullmq, beat"],
  [{ parameters: { scheduler: "beat" } }, "the scheduler beat does not support schedule.delete as it runs here"],
])("a command for a schedule is refused with %j", async (payload, reason) => {
  const [bullmq, celery] = [engineOf("bullmq"), engineOf("celery", "beat", ["schedule.enable"])];

  const outcome = await execute({ action: "schedule.delete", ...payload }, bullmq.adapter, celery.adapter);

  expect(outcome).toEqual({ status: "failed", error: expect.stringContaining(`unsupported: ${reason}`) });
  expect([...bullmq.seen, ...celery.seen]).toEqual([]);
});

test("an agent without schedules says so", async () => {
  const adapter = createScriptedAdapter("bullmq", ["retry_task"]);
  expect(await execute({ action: "schedule.enable" }, adapter)).toEqual({
    status: "failed",
    error: "unsupported: this agent mirrors no schedules, so it does not support schedule.enable",
  });
  expect(await execute({ action: "schedule.resync" }, adapter, engineOf("rq", "rq", []).adapter)).toEqual({
    status: "failed",
    error: "unsupported: no adapter of this agent supports schedule.resync as it runs here",
  });
});

test("a resync that names no scheduler is for all of them", async () => {
  const [bullmq, celery] = [engineOf("bullmq"), engineOf("celery", "beat")];
  const both = [bullmq.adapter, celery.adapter];

  expect(await execute({ action: "schedule.resync" }, ...both)).toEqual({
    status: "success",
    result: { schedulers_drained: ["bullmq", "beat"] },
  });
  celery.scripted.answerCommands(() => Promise.reject(new Error("not reachable")));
  expect(await execute({ action: "schedule.resync" }, ...both)).toEqual({
    ...{ status: "failed", error: "not reachable" },
    result: { schedulers_drained: ["bullmq"] },
  });
});

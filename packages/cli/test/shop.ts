/** A service with a real agent, whose engine runs in the test, and `svc` with the credentials of its users. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command, CommandOutcome } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import { startTestBrain, type TestBrain, type TestRole } from "@svc/testkit/brain";
import { createScriptedAdapter, waitFor } from "@svc/testkit/peer";
import { type CommandContext, type Ran, svc } from "./in-process.ts";
import { scratchFolder } from "./svc-process.ts";

export interface ListedDeadLetter {
  readonly task_id: string;
  readonly queue: string;
  readonly error_excerpt: string;
}

export interface Shop {
  readonly brain: TestBrain;
  readonly agentId: string;
  readonly engine: ShopEngine;
  /** With an API key of this role. */
  withKey(args: readonly string[], role?: TestRole, around?: CommandContext): Promise<Ran>;
  /** With a session as `svc login` stores it. */
  signedIn(args: readonly string[], role?: TestRole, around?: CommandContext): Promise<Ran>;
  /** The environment variables for either credential. */
  environment(credential: "key" | "session", role: TestRole): Promise<Record<string, string>>;
}

/** An engine with failing tasks and dead letters. */
export interface ShopEngine {
  /** Newest first. */
  readonly deadLetters: ListedDeadLetter[];
  /** `<action> <task id>` of every executed command, in order. */
  readonly done: string[];
  /** The result of a retried task. Default: success. */
  readonly endOf: Map<string, "success" | "failure">;
  /** Commands on a task with one of these ids, and fires of a task with one of these names, fail with this text. */
  readonly refuses: Map<string, string>;
  /** Replaces the response to a listing. */
  listing: ((command: Command) => Promise<CommandOutcome>) | null;
  /** Blocks all commands until it is opened. */
  hold(): { open(): void };
  /** Reports failed tasks to the service, with these arguments. */
  fail(taskIds: readonly string[], queue: string, kwargs?: Record<string, unknown>): Promise<void>;
  /** Reports an hourly schedule of the engine's own scheduler. */
  schedule(name: string): Promise<void>;
}

const capabilities = [
  "retry_task",
  "bulk_retry",
  "retry_by_reference_v1",
  "list_dead_letters",
  "requeue_dead_letter",
  "submit_task",
];

export async function startShop(engineName = "shop"): Promise<Shop> {
  const brain = await startTestBrain();
  const adapter = createScriptedAdapter(engineName, capabilities);
  const { minted } = await brain.connectAgent({ engines: [adapter] });
  let gate: Promise<void> = Promise.resolve();
  let position = 0;

  function report(events: readonly EventRecord[]): void {
    position += 1;
    adapter.context.sink.emit([...events], { key: "position", value: String(position) });
  }
  const event = (kind: string, taskId: string, queue: string, kwargs?: Record<string, unknown>): EventRecord => ({
    id: randomUUID(),
    kind,
    engine: engineName,
    task_id: taskId,
    occurred_at: new Date().toISOString(),
    data: {
      queue,
      task_name: "mail.send",
      ...(kwargs && { kwargs }),
      ...(kind === "task.failed" && { exception: "mailbox full" }),
    },
  });

  const engine: ShopEngine = {
    deadLetters: [],
    done: [],
    endOf: new Map(),
    refuses: new Map(),
    listing: null,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return { open: resolve };
    },
    async fail(taskIds, queue, kwargs) {
      report(taskIds.map((taskId) => event("task.failed", taskId, queue, kwargs)));
      const known = async () => {
        const path = `/projects/shop/tasks?state=failure&queue=${queue}&include_total=true&limit=1`;
        return (await brain.as.viewer.get(path)).body.total_count >= taskIds.length;
      };
      await waitFor(known, { that: "the failed tasks" });
    },
    async schedule(name) {
      const schedule = { name, kind: "interval", expression: "3600", task_name: "mail.send", is_enabled: true };
      const data = { stream: { epoch: 1, sequence: position + 1 }, schedule };
      report([{ ...event("schedule.created", "", ""), data }]);
      const known = async () => {
        const { body } = await brain.as.viewer.get("/projects/shop/schedules?limit=500");
        return body.items.some(
          (one: { name: string; scheduler: string }) => one.name === name && one.scheduler === engineName,
        );
      };
      await waitFor(known, { that: "the schedule of the engine" });
    },
  };

  function list({ parameters }: Command): CommandOutcome {
    const {
      queue,
      limit,
      cursor: requestedCursor,
    } = parameters as { queue: string | null; limit: number; cursor: string | null };
    const cursor = requestedCursor ?? "0";
    if (!/^\d+$/.test(cursor)) return { status: "failed", error: "invalid_cursor: unknown cursor" };
    const deadLetters = engine.deadLetters.filter((entry) => queue === null || entry.queue === queue);
    const end = Number(cursor) + limit;
    const entries = deadLetters
      .slice(Number(cursor), end)
      .map((entry) => ({ task_name: "mail.send", failed_at: "2026-05-20T08:00:00Z", attempts: 3, ...entry }));
    const next = end < deadLetters.length ? String(end) : null;
    return { status: "success", result: { entries, next_cursor: next, total: deadLetters.length, engine: engineName } };
  }

  function act(action: string, taskId: string): CommandOutcome {
    const refusal = engine.refuses.get(taskId);
    if (refusal !== undefined) return { status: "failed", error: refusal };
    engine.done.push(`${action} ${taskId}`);
    if (action === "requeue_dead_letter") {
      const at = engine.deadLetters.findIndex(({ task_id }) => task_id === taskId);
      if (at === -1) return { status: "failed", error: "dead letter not found" };
      engine.deadLetters.splice(at, 1);
    }
    const kind = engine.endOf.get(taskId) === "failure" ? "task.failed" : "task.succeeded";
    report([event(kind, taskId, "mail")]);
    return { status: "success", result: { task_id: taskId, results: [{ task_id: taskId, status: "success" }] } };
  }

  adapter.answerCommands(async (command) => {
    if (command.action === "schedule.fire") {
      const { task_name: name } = command.parameters as { task_name: string };
      const refusal = engine.refuses.get(name);
      if (refusal !== undefined) return { status: "failed", error: refusal };
      engine.done.push(`fire ${name}`);
      return {
        status: "success",
        result: { task_id: `fired-${engine.done.length}` },
      };
    }
    if (command.action === "dlq.list") return engine.listing?.(command) ?? list(command);
    await gate;
    const { task_id: taskId, filter } = command.parameters as { task_id?: string; filter?: { task_ids: string[] } };
    return act(command.action, taskId ?? filter?.task_ids[0] ?? "");
  });

  const keys = new Map<TestRole, string>();
  async function environment(credential: "key" | "session", role: TestRole): Promise<Record<string, string>> {
    if (credential === "key") {
      const scopes = ["commands:write", "commands:read", "tasks:read", "projects:read", "schedules:write"];
      const mint = async () => (await brain.as[role].post("/api-keys", { name: role, scopes })).body.token as string;
      const key = keys.get(role) ?? (await mint());
      keys.set(role, key);
      return { SVC_BRAIN_URL: brain.url, SVC_API_KEY: key };
    }
    const home = await scratchFolder();
    const cookies = Object.fromEntries(brain.as[role].cookie.split("; ").map((pair) => pair.split("=")));
    const session = { brain_url: brain.url, email: `${role}@example.org`, cookies };
    await writeFile(join(home, "session.json"), JSON.stringify(session), { mode: 0o600 });
    return { SVC_HOME: home };
  }

  return {
    brain,
    agentId: minted.agentId,
    engine,
    environment,
    withKey: async (args, role = "operator", around = {}) => svc(args, await environment("key", role), around),
    signedIn: async (args, role = "operator", around = {}) => svc(args, await environment("session", role), around),
  };
}

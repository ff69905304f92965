import type { AdapterContext, Command, CommandOutcome, EngineAdapter } from "@svc/agent";
import { capabilityOfAction, type EventRecord, isCommandAction } from "@svc/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDemoAdapter } from "./index.ts";

const openedMs = Date.UTC(2026, 0, 2);
const second = 1_000;

let nowMs: number;
let adapter: EngineAdapter;
let events: EventRecord[];
beforeEach(async () => {
  nowMs = openedMs;
  events = [];
  let state = 7;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
  adapter = createDemoAdapter({ historyMinutes: 60, pace: 1, random, now: () => nowMs });
  await adapter.start({
    sink: { emit: (given: readonly EventRecord[]) => void events.push(...given), ready: async () => {} },
  } as unknown as AdapterContext);
  await pass(0); // reports what is left of the history
});
afterEach(() => adapter.stop());

function command(
  action: string,
  parameters: Record<string, unknown> = {},
  more: Partial<Command> = {},
): Promise<CommandOutcome> {
  const given: Command = { id: "c", action, engine: "demo", target: {}, parameters, timeoutSeconds: 60, ...more };
  const ended = adapter.execute?.(given);
  if (ended === undefined) throw new Error("the adapter accepts no commands");
  return ended;
}

/** Lets time pass. Its events are reported with the next command, here one that changes nothing. */
async function pass(ms: number): Promise<void> {
  nowMs += ms;
  await command("reconcile_task", { task_id: "none" });
}

/** Ids of tasks whose newest event has this kind. */
function tasksAt(kind: string): string[] {
  const newest = new Map(events.map((event) => [event.task_id, event.kind]));
  return [...newest].filter(([, last]) => last === kind).map(([id]) => id);
}

/** Waits until there is such a task, and returns its id. */
async function firstAt(kind: string): Promise<string> {
  for (let at = 0; at < 1_000; at += 1) {
    const [id] = tasksAt(kind);
    if (id !== undefined) return id;
    await pass(second);
  }
  throw new Error(`no task is at ${kind}`);
}

function kindsOf(id: string): string[] {
  return events.filter(({ task_id }) => task_id === id).map(({ kind }) => kind);
}

async function deadLetters(parameters: Record<string, unknown> = {}) {
  const { result } = await command("dlq.list", { limit: 200, ...parameters });
  return result as { entries: Record<string, unknown>[]; next_cursor: string | null; total: number; engine: string };
}

test("all listed capabilities work, and no others", async () => {
  const actions = Object.keys(capabilityOfAction).filter(
    (action) => isCommandAction(action) && adapter.capabilities().includes(capabilityOfAction[action]),
  );
  expect(actions).toEqual([
    "retry_task",
    "cancel_task",
    "bulk_retry",
    "purge_queue",
    "requeue_dead_letter",
    "dlq.list",
    "reconcile_task",
    "submit_task",
    "schedule.fire",
  ]);
  expect(adapter.capabilities()).toContain("retry_by_reference_v1");
  await expect(command("restart_worker")).rejects.toThrow("the demo shop doesn't support restart_worker");
});

describe("a retry", () => {
  test.each(["retry_task", "requeue_dead_letter"])(
    "by %s puts a failed task back in its queue as its next attempt",
    async (action) => {
      const id = await firstAt("task.failed");
      const failedAttempt = Number(events.findLast(({ task_id }) => task_id === id)?.data.attempt);
      const seen = kindsOf(id).length;

      expect(await command(action, { engine: "demo", task_id: id })).toEqual({
        status: "success",
        result: { task_id: id },
      });

      const [received] = events.filter(({ task_id }) => task_id === id).slice(seen);
      expect(received).toMatchObject({ kind: "task.received", data: { attempt: failedAttempt + 1 } });
      await pass(600 * second);
      expect(kindsOf(id).slice(seen, seen + 2)).toEqual(["task.received", "task.started"]);
    },
  );

  test("of a task that has not failed is refused, and so is a second one", async () => {
    const id = await firstAt("task.failed");
    await command("retry_task", { task_id: id });

    await expect(command("retry_task", { task_id: id })).rejects.toThrow(`${id} is not a failed task`);
    await expect(command("retry_task", { task_id: await firstAt("task.succeeded") })).rejects.toThrow(
      "is not a failed task",
    );
    await expect(command("retry_task", {})).rejects.toThrow("task_id is required");
  });

  test("with other inputs creates a new task that names the old one, which stays failed", async () => {
    const id = await firstAt("task.failed");

    const outcome = await command("retry_task", { task_id: id, override_args: [1], override_kwargs: { region: "eu" } });

    const { new_task_id: newId } = outcome.result as { new_task_id: string };
    expect(outcome).toEqual({ status: "success", result: { task_id: id, new_task_id: newId } });
    expect(events.find(({ task_id }) => task_id === newId)).toMatchObject({
      kind: "task.sent",
      data: { args: [1], kwargs: { region: "eu" }, retried_from: id, attempt: 0 },
    });
    expect(kindsOf(id).at(-1)).toBe("task.failed");
  });

  test("with one of the two inputs is refused", async () => {
    const parameters = { task_id: await firstAt("task.failed"), override_args: [1] };

    await expect(command("retry_task", parameters)).rejects.toThrow(
      "Specify both override_args and override_kwargs, or neither",
    );
  });

  test("at a later time waits for it", async () => {
    const id = await firstAt("task.failed");
    const seen = kindsOf(id).length;
    await command("retry_task", { task_id: id, eta: new Date(nowMs + 60 * second).toISOString() });

    await pass(59 * second);
    expect(kindsOf(id)).toHaveLength(seen);
    expect((await command("reconcile_task", { task_id: id })).result).toMatchObject({ engine_state: "pending" });
    await pass(2 * second);
    expect(kindsOf(id)[seen]).toBe("task.received");
  });

  test("of many tasks reports the result of each", async () => {
    const [first, second_] = tasksAt("task.failed") as [string, string];
    const done = await firstAt("task.succeeded");

    expect(
      await command("bulk_retry", { filter: { engine: "demo", task_ids: [first, done, first, second_] }, max: 10 }),
    ).toEqual({
      status: "success",
      result: {
        results: [
          { task_id: first, status: "success" },
          { task_id: done, status: "failed", error: `${done} is not a failed task` },
          { task_id: second_, status: "success" },
        ],
      },
    });
    expect(await command("bulk_retry", { filter: { task_ids: [done] }, max: 1 })).toMatchObject({
      status: "failed",
      error: `${done} is not a failed task`,
    });
  });

  test("of many tasks retries the first of them, up to max", async () => {
    const ids = tasksAt("task.failed").slice(0, 3);

    const { result } = await command("bulk_retry", { filter: { task_ids: ids }, max: 2 });

    expect(result).toMatchObject({ results: [{ task_id: ids[0] }, { task_id: ids[1] }] });
    await expect(command("bulk_retry", { filter: {}, max: 2 })).rejects.toThrow(
      "filter.task_ids must be a non-empty list of task ids",
    );
  });
});

describe("a cancel", () => {
  test.each(["task.sent", "task.started", "task.retried"])("of a task at %s revokes it permanently", async (kind) => {
    const id = await firstAt(kind);

    expect(await command("cancel_task", { task_id: id })).toEqual({ status: "success", result: {} });
    await pass(3_600 * second);

    expect(kindsOf(id).at(-1)).toBe("task.revoked");
    expect((await command("reconcile_task", { task_id: id })).result).toMatchObject({ engine_state: "unknown" });
  });

  test("of a running task frees its worker", async () => {
    const busy = async () => {
      const { worker_details: workers = {} } = await adapter.snapshot();
      return Object.values(workers).reduce((sum, { active_tasks: count = 0 }) => sum + count, 0);
    };
    for (const id of [...tasksAt("task.sent"), ...tasksAt("task.started")]) {
      await command("cancel_task", { task_id: id });
    }

    expect(await busy()).toBe(0);
  });

  test("of a finished or unknown task is refused", async () => {
    const id = await firstAt("task.succeeded");

    await expect(command("cancel_task", { task_id: id })).rejects.toThrow(`${id} is neither waiting nor running`);
    await expect(command("cancel_task", { task_id: "none" })).rejects.toThrow("none is neither waiting nor running");
  });
});

describe("a purge", () => {
  test("removes the waiting tasks up to the confirmed depth, and keeps the running ones", async () => {
    const { queue_depths: depths = {} } = await adapter.snapshot();
    const [queue, depth] = Object.entries(depths).sort(([, a], [, b]) => b - a)[0] ?? ["", 0];
    const started = tasksAt("task.started");
    expect(depth).toBeGreaterThan(0);

    expect(await command("purge_queue", { queue })).toEqual({ status: "success", result: { purged: depth } });

    expect((await adapter.snapshot()).queue_depths?.[queue]).toBe(0);
    expect(tasksAt("task.revoked")).toHaveLength(depth);
    expect(tasksAt("task.started")).toEqual(started);
    expect(await command("purge_queue", { queue })).toEqual({ status: "success", result: { purged: 0 } });
  });

  test("removes no more tasks than were confirmed", async () => {
    const { queue_depths: depths = {} } = await adapter.snapshot();
    const [queue, depth] = Object.entries(depths).sort(([, a], [, b]) => b - a)[0] ?? ["", 0];
    expect(depth).toBeGreaterThan(1);

    const outcome = await command("purge_queue", { queue }, { confirmedDepth: depth - 1 });

    expect(outcome).toEqual({ status: "success", result: { purged: depth - 1 } });
    expect((await adapter.snapshot()).queue_depths?.[queue]).toBe(1);
  });

  test("of an unknown queue is refused", async () => {
    await expect(command("purge_queue", { queue: "constructor" })).rejects.toThrow("queue constructor does not exist");
  });
});

describe("dead letters", () => {
  test("are the failed tasks, newest first, in complete pages", async () => {
    const failed = tasksAt("task.failed");
    const whole = await deadLetters();
    expect(whole).toMatchObject({ next_cursor: null, total: failed.length, engine: "demo" });
    expect(whole.entries.map(({ task_id: id }) => id).sort()).toEqual(failed.sort());
    const instants = whole.entries.map(({ failed_at: at }) => String(at));
    expect(instants).toEqual([...instants].sort().reverse());
    expect(whole.entries[0]).toEqual({
      task_id: expect.any(String),
      task_name: expect.any(String),
      queue: expect.any(String),
      failed_at: expect.any(String),
      error_excerpt: expect.stringContaining(": "),
      attempts: expect.any(Number),
    });

    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page = await deadLetters({ limit: 3, ...(cursor === null ? {} : { cursor }) });
      paged.push(...page.entries);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole.entries);
  });

  test("of one queue are listed alone, and a retried one is no longer listed", async () => {
    const { entries } = await deadLetters({ queue: "billing" });
    expect(new Set(entries.map(({ queue }) => queue))).toEqual(new Set(["billing"]));

    await command("requeue_dead_letter", { task_id: entries[0]?.task_id });

    expect((await deadLetters({ queue: "billing" })).total).toBe(entries.length - 1);
    expect((await deadLetters({ queue: "nowhere" })).entries).toEqual([]);
  });

  test("reject a foreign cursor", async () => {
    await expect(command("dlq.list", { limit: 1, cursor: "eA" })).rejects.toThrow(/^invalid_cursor/);
  });
});

test.each([
  ["task.sent", "pending"],
  ["task.retried", "pending"],
  ["task.started", "started"],
])("a task at %s is %s", async (kind, state) => {
  const id = await firstAt(kind);

  expect((await command("reconcile_task", { task_id: id })).result).toEqual({ task_id: id, engine_state: state });
});

test.each([
  ["task.succeeded", "success"],
  ["task.failed", "failure"],
])("a task at %s is %s, since the time of its event", async (kind, state) => {
  const id = await firstAt(kind);
  const ended = events.findLast(({ task_id }) => task_id === id);

  expect((await command("reconcile_task", { task_id: id })).result).toEqual({
    task_id: id,
    engine_state: state,
    finished_at: ended?.occurred_at,
    exception: ended?.data.exception ?? null,
  });
});

describe("a submitted task", () => {
  const fire = {
    ...{ task_name: "emails.send_receipt", engine: "demo", queue: "emails", args: [], kwargs: { order_id: 7 } },
    ...{ priority: "high", schedule_id: "s", schedule_name: "nightly", fire_id: "f1" },
    scheduled_for: new Date(openedMs).toISOString(),
  };

  test("by a fire of a schedule runs once, however often the fire arrives", async () => {
    const first = await command("schedule.fire", fire);
    const id = String(first.result?.task_id);
    await pass(600 * second);
    const again = await command("schedule.fire", fire, { id: "another" });

    expect(first).toEqual({ status: "success", result: { task_id: id } });
    expect(again).toEqual(first);
    expect(events.find(({ task_id }) => task_id === id)).toMatchObject({
      kind: "task.sent",
      data: { task_name: "emails.send_receipt", queue: "emails", priority: "high", kwargs: { order_id: 7 } },
    });
    expect(kindsOf(id).filter((kind) => kind === "task.sent")).toHaveLength(1);
    expect(kindsOf(id)).toContain("task.started");
  });

  test("takes queue and priority of its type when none are given", async () => {
    const outcome = await command("submit_task", { name: "billing.run_daily_invoices" });

    expect(events.find(({ task_id }) => task_id === outcome.result?.task_id)?.data).toMatchObject({
      ...{ queue: "billing", args: [], kwargs: {} },
      priority: expect.any(String),
    });
  });

  test("at a later time waits for it", async () => {
    const eta = new Date(openedMs + 60 * second).toISOString();
    const outcome = await command("submit_task", { name: "emails.send_receipt", eta });
    const id = String(outcome.result?.task_id);

    await pass(59 * second);
    expect(kindsOf(id)).toEqual([]);
    await pass(second);
    expect(kindsOf(id)[0]).toBe("task.sent");
  });

  test.each([
    [{ task_name: "none" }, "the demo shop has no task none, only emails.send_receipt"],
    [{ queue: "none" }, "queue none does not exist"],
    [{ fire_id: null }, "fire_id is required"],
    [{ priority: "urgent" }, "priority must be one of critical, high, normal, low"],
    [{ kwargs: [] }, "args must be a list and kwargs an object"],
  ])("is refused with %j", async (wrong, error) => {
    await expect(command("schedule.fire", { ...fire, ...wrong })).rejects.toThrow(error);
  });
});

test("an unknown id has the state unknown", async () => {
  expect((await command("reconcile_task", { task_id: "none" })).result).toEqual({
    task_id: "none",
    engine_state: "unknown",
  });
});

test("commands are refused before the shop is open", async () => {
  await expect(
    createDemoAdapter().execute?.({
      id: "c",
      action: "retry_task",
      engine: "demo",
      target: {},
      parameters: {},
      timeoutSeconds: 1,
    }),
  ).rejects.toThrow("the demo shop is not open");
});

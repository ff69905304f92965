import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import { type Stage, sharedWorker } from "../stage.ts";

interface Page {
  readonly entries: readonly { readonly task_id: string; readonly failed_at: string }[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly engine: string;
}

const failures = 250;

async function list({ send, engine }: Stage, parameters: object): Promise<Page> {
  const outcome = await send("dlq.list", { engine: engine.engine, queue: sharedWorker.failingQueue, ...parameters });
  expect(outcome).toMatchObject({ status: "success" });
  return outcome.result as unknown as Page;
}

async function pages(stage: Stage, limit: number): Promise<readonly Page[]> {
  const found = [await list(stage, { limit })];
  for (let last = found.at(-1); last?.next_cursor; last = found.at(-1))
    found.push(await list(stage, { limit, cursor: last.next_cursor }));
  return found;
}

export const deadLetters: readonly Case[] = [
  {
    name: "dlq.list returns 250 dead letters of one instant page by page, each once, and moves none",
    appliesTo: advertising("list_dead_letters"),
    async run(stage) {
      const { site, awaitEvent, engine } = stage;
      const ids = await site.failAtOnce(sharedWorker.failingQueue, failures);
      for (const id of ids) await awaitEvent(id, "task.failed");
      const before = await site.contents();

      for (const limit of [60, 200]) {
        const found = await pages(stage, limit);
        const entries = found.flatMap((page) => page.entries);
        expect(entries.map(({ task_id }) => task_id).sort()).toEqual([...ids].sort());
        expect(found.every(({ entries }) => entries.length <= limit)).toBe(true);
        for (const page of found) expect(page).toMatchObject({ total: failures, engine: engine.engine });
      }
      expect(await site.contents()).toEqual(before);
    },
  },
  {
    name: "dlq.list returns the newest first, with name, queue, time, attempts and the masked error",
    appliesTo: advertising("list_dead_letters"),
    async run(stage) {
      const { submit, awaitEvent } = stage;
      const queue = sharedWorker.failingQueue;
      const reasons = ["no luck", `refused: Bearer ${"abcdefghijklmnopqrstuvwxyz"}0123456789`];
      const ids: string[] = [];
      for (const message of reasons) {
        ids.push(await submit({ queue, name: "fail", input: { message }, attempts: 2 }));
        await awaitEvent(ids.at(-1) ?? "", "task.failed");
      }

      const { entries } = await list(stage, { limit: 2 });

      expect(entries).toEqual([
        expect.objectContaining({ task_id: ids[1], error_excerpt: "[REDACTED]" }),
        {
          ...{ task_id: ids[0], task_name: "fail", queue, attempts: 2 },
          failed_at: expect.any(String),
          error_excerpt: expect.stringContaining("no luck"),
        },
      ]);
      expect(Math.abs(Date.now() - Date.parse(entries[1]?.failed_at ?? ""))).toBeLessThan(60_000);
    },
  },
  {
    name: "a dead letter that was requeued and has run is no longer listed",
    appliesTo: advertising("list_dead_letters", "requeue_dead_letter"),
    async run(stage) {
      const { engine, submit, awaitEvent, send } = stage;
      const input = { message: "no luck", times: 1 };
      const task_id = await submit({ queue: sharedWorker.failingQueue, name: "fail", input });
      await awaitEvent(task_id, "task.failed");
      const before = await list(stage, { limit: 1 });

      const outcome = await send("requeue_dead_letter", { engine: engine.engine, task_id });
      await awaitEvent(String(outcome.result?.new_task_id ?? task_id), "task.succeeded");

      const after = await list(stage, { limit: 1 });
      expect(before.entries[0]?.task_id).toBe(task_id);
      expect(after.total).toBe(before.total - 1);
      expect(after.entries[0]?.task_id).not.toBe(task_id);
    },
  },
];

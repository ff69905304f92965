import type { Queue, QueueActivities } from "@svc/client";
import { expect, test } from "vitest";
import { backlogAnHourAgo } from "./backlog.ts";

const queue = (id: string, pending_count: number) => ({ id, pending_count }) as Queue;
const depths = (items: Record<string, (number | null)[]>, truncated = false): QueueActivities => ({
  from: "2026-11-20T11:00:00.000Z",
  to: "2026-11-20T12:00:00.000Z",
  step_seconds: 900,
  truncated,
  items: Object.entries(items).map(([queue_id, pending]) => ({
    queue_id,
    engine: "bullmq",
    name: queue_id,
    entered: 0,
    started: 0,
    ended: 0,
    failed: 0,
    pending,
  })),
});

test("is the sum of the first depths of the hour", () => {
  const queues = [queue("a", 9), queue("b", 0)];
  const activities = depths({ a: [4, 5, 6, 7, 8, 9, 9, 9], b: [null, 3, 1, 0, 0, 0, 0, 0] });
  expect(backlogAnHourAgo(queues, activities)).toBe(7);
});

test("counts an empty queue without reports as empty", () => {
  expect(
    backlogAnHourAgo([queue("a", 2), queue("b", 0)], depths({ a: [2, 2, 2, 2], b: [null, null, null, null] })),
  ).toBe(2);
});

test("is unknown while a queue was not reported that early, or the list is incomplete", () => {
  const queues = [queue("a", 2), queue("b", 5)];
  expect(backlogAnHourAgo(queues, undefined)).toBeNull();
  expect(backlogAnHourAgo([], depths({}))).toBeNull();
  expect(backlogAnHourAgo(queues, depths({ a: [2, 2, 2, 2], b: [null, null, 5, 5] }))).toBeNull();
  expect(backlogAnHourAgo(queues, depths({ a: [2, 2, 2, 2] }))).toBeNull();
  expect(backlogAnHourAgo(queues, depths({ a: [2, 2, 2, 2], b: [5, 5, 5, 5] }, true))).toBeNull();
});

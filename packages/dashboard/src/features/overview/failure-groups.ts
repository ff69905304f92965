import type { TaskRow } from "@svc/client";

type FailedTask = Pick<TaskRow, "engine" | "task_id" | "name" | "exception" | "finished_at" | "received_at">;

/** Failed tasks whose error reads alike but for its numbers and ids. */
export interface FailureGroup {
  readonly key: string;
  /** What is before the first colon of the error; `No error text` when there is none. */
  readonly type: string;
  readonly message: string;
  /** Task names, the most frequent first. */
  readonly names: readonly string[];
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly newest: { readonly engine: string; readonly task_id: string };
  /** When each of them failed, newest first. */
  readonly failedAtMs: readonly number[];
}

const noise = /0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/gi;

/** Groups of failed tasks, the largest first. The tasks come newest first, as the list has them. */
export function groupFailures(tasks: readonly FailedTask[]): FailureGroup[] {
  const groups = Map.groupBy(tasks, (task) => firstLine(task.exception).replace(noise, "<n>"));
  return [...groups]
    .map(([key, members]) => groupOf(key, members))
    .toSorted((a, b) => b.count - a.count || b.lastMs - a.lastMs);
}

function groupOf(key: string, members: readonly FailedTask[]): FailureGroup {
  const failedAtMs = members.map(failedAt).toSorted((a, b) => b - a);
  const byName = Map.groupBy(members, ({ name }) => name);
  const newest = members.toSorted((a, b) => failedAt(b) - failedAt(a))[0];
  const colon = key.indexOf(": ");
  return {
    key,
    type: key === "" ? "No error text" : colon < 0 ? key : key.slice(0, colon),
    message: colon < 0 ? "" : key.slice(colon + 2),
    names: [...byName].toSorted((a, b) => b[1].length - a[1].length).map(([name]) => name),
    count: members.length,
    firstMs: failedAtMs.at(-1) ?? 0,
    lastMs: failedAtMs[0] ?? 0,
    newest: { engine: newest?.engine ?? "", task_id: newest?.task_id ?? "" },
    failedAtMs,
  };
}

const failedAt = ({ finished_at, received_at }: FailedTask) => Date.parse(finished_at ?? received_at);

function firstLine(text: string | null): string {
  return text?.trim().split("\n", 1)[0]?.trim() ?? "";
}

/** How many instants fall into each of `size` equal parts of a range, oldest part first. */
export function countsOver(
  instantsMs: readonly number[],
  range: { fromMs: number; toMs: number },
  size: number,
): number[] {
  const counts = Array.from({ length: size }, () => 0);
  const partMs = (range.toMs - range.fromMs) / size;
  for (const at of instantsMs) {
    const part = Math.floor((at - range.fromMs) / partMs);
    if (part >= 0 && part < size) counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

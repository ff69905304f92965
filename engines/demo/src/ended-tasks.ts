import type { DemoTask } from "./task.ts";

export interface EndedTask {
  readonly task: DemoTask;
  readonly state: "success" | "failure" | "revoked";
  readonly endedMs: number;
  readonly exception: string | null;
}

const maxEnded = 20_000;
const maxFailed = 5_000;

/** How the shop's tasks have ended: the last 20,000, and of the failed ones, which can be retried, the last 5,000. */
export function createEndedTasks() {
  const others = new Map<string, EndedTask>();
  const failed = new Map<string, EndedTask>();
  return {
    add(ended: EndedTask): void {
      const isFailed = ended.state === "failure";
      const kept = isFailed ? failed : others;
      kept.set(ended.task.id, ended);
      if (kept.size <= (isFailed ? maxFailed : maxEnded)) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    remove: (id: string): void => {
      failed.delete(id);
    },
    find: (id: string): EndedTask | undefined => failed.get(id) ?? others.get(id),
    failed: (id: string): EndedTask | undefined => failed.get(id),
    /** The newest failure first, ties by id. */
    allFailed: (): EndedTask[] =>
      [...failed.values()].sort((a, b) => b.endedMs - a.endedMs || (a.task.id < b.task.id ? 1 : -1)),
  };
}

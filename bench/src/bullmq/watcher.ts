import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import type { BenchBrain } from "../harness/processes.ts";

/** A signed-in user who reads tasks over REST and the hub. */
export interface Watcher {
  /** Polls until this task has ended, and records the time for REST and for the next frame of the hub. */
  follow(taskId: string): void;
  /** Resolves when all followed tasks were seen. */
  settled(): Promise<Seen>;
  close(): void;
}

export interface Seen {
  /** Milliseconds since just before the end was written to Redis. */
  readonly restMs: readonly number[];
  readonly hubMs: readonly number[];
}

const lookEveryMs = 15;
/** A task that was not seen in time counts with this age. */
const givenUpAfterMs = 30_000;

export async function watchBrain({ url, root, projectId, slug }: BenchBrain, signal: AbortSignal): Promise<Watcher> {
  const restMs: number[] = [];
  const hubMs: number[] = [];
  const open = new Set<Promise<void>>();
  const hub = await openHub(url, root.cookie, projectId);

  async function hasEnded(taskId: string): Promise<boolean> {
    signal.throwIfAborted();
    const { status, body } = await root.get(`/projects/${slug}/tasks/bullmq/${encodeURIComponent(taskId)}`);
    return status !== 404 && (body.state === "success" || body.state === "failure");
  }

  async function poll(taskId: string, endedAtMs: number): Promise<void> {
    while (!(await hasEnded(taskId))) {
      const ageMs = performance.now() - endedAtMs;
      if (ageMs > givenUpAfterMs) break;
      // Polls of a late task become rarer, so that they do not delay other tasks.
      await pause(Math.max(lookEveryMs, ageMs / 10), undefined, { signal });
    }
    restMs.push(performance.now() - endedAtMs);
    await hub.nextFrame();
    hubMs.push(performance.now() - endedAtMs);
  }

  return {
    follow(taskId) {
      const following = poll(taskId, performance.now());
      following.catch(() => {}); // reported by settled()
      open.add(following);
    },
    async settled() {
      await Promise.all(open);
      return { restMs, hubMs };
    },
    close: hub.close,
  };
}

/** A dashboard socket; `nextFrame` resolves with the next change of tasks: rows, or the request to fetch again. */
async function openHub(url: string, cookie: string, projectId: string) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws/dashboard`, { headers: { cookie, origin: url } });
  const waiting = new Set<() => void>();
  const ready = Promise.withResolvers<void>();
  socket.on("error", ready.reject);
  socket.on("close", (code) => ready.reject(new Error(`the hub closed with ${code}`)));
  socket.on("open", () =>
    socket.send(JSON.stringify({ type: "subscribe", project_id: projectId, topics: ["task.changed"] })),
  );
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data)) as { type: string };
    if (frame.type === "ready") ready.resolve();
    if (frame.type !== "event") return;
    for (const wake of waiting) wake();
    waiting.clear();
  });
  await ready.promise;
  const alive = setInterval(() => socket.send(JSON.stringify({ type: "ping" })), 30_000);
  return {
    nextFrame: () => new Promise<void>((resolve) => void waiting.add(resolve)),
    close() {
      clearInterval(alive);
      socket.close();
    },
  };
}

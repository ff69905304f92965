import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type EngineAdapter, startAgent } from "@svc/agent";
import type { CommandAction, EventRecord } from "@svc/protocol";
import { type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import type { EngineUnderTest, NewTask, Reporting } from "./engine-under-test.ts";

/** The worker that runs during all cases of a stage. */
export const sharedWorker = { name: "w-shared", queue: "work", failingQueue: "dead", limitedQueue: "limited" } as const;

export interface Outcome {
  readonly status: string;
  readonly error?: string;
  readonly result?: Record<string, unknown>;
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A site with a shared worker, a real agent in this process with the adapter, and a peer that acts as the service. */
export async function startStage(engine: EngineUnderTest) {
  const cleanups: (() => unknown)[] = [];
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  const site = await engine.start();
  cleanups.push(() => site.stop());
  const deliveries: string[] = [];
  let running: { readonly adapter: EngineAdapter; readonly agent: Agent } | undefined;
  let names = 0;

  /** Another peer for another agent. The peer is stopped with the stage. */
  async function reporter(): Promise<{ readonly peer: Peer; readonly reporting: Reporting }> {
    const peer = await startPeer({ behaviour: { heartbeatSeconds: 1 } });
    cleanups.push(() => peer.stop());
    names += 1;
    const { token, agentId } = peer.identity;
    const bufferPath = join(folder, `buffer-${names}`);
    return { peer, reporting: { brainUrl: peer.url, token, hmacSecret: peer.hmacSecret, agentId, bufferPath } };
  }

  await site.startWorker({
    name: sharedWorker.name,
    queues: [sharedWorker.queue, sharedWorker.failingQueue, sharedWorker.limitedQueue],
    concurrency: 20,
  });
  const { peer, reporting } = await reporter();
  cleanups.push(() => running?.agent.stop());

  const current = () => {
    if (running === undefined) throw new Error("no agent has been started");
    return running;
  };
  /** Events of one task in order of arrival. */
  const reported = (taskId: string): readonly EventRecord[] =>
    peer.record.events.filter((event) => event.task_id === taskId);
  const resultsOf = (id: string) =>
    peer.record.frames.filter((frame) => frame.type === "command_result" && frame.id === id);

  const stage = {
    engine,
    site,
    peer,
    /** The adapter of the running or last agent. */
    get adapter() {
      return current().adapter;
    },
    get agent() {
      return current().agent;
    },
    /** Ids of the sent commands, one per delivery. */
    deliveries: deliveries as readonly string[],
    async startAgent() {
      const adapter = site.adapter();
      const agent = startAgent({ ...reporting, bufferName: "agent", engines: [adapter], log: silent });
      running = { adapter, agent };
      await agent.ready;
      await waitFor(() => agent.status().state === "online", { that: "the agent online" });
    },
    /** Resolves when its events are delivered. */
    stopAgent: () => current().agent.stop(),
    reporter,
    reported,
    kindsOf: (taskId: string): readonly string[] => reported(taskId).map(({ kind }) => kind),
    /** Waits for the first event of this kind. */
    awaitEvent: (taskId: string, kind: string) =>
      waitFor(() => reported(taskId).find((event) => event.kind === kind), {
        that: `${kind} of ${taskId}`,
      }),
    /** Submits a task to the shared worker, unless a queue is given. */
    submit: (task: Omit<NewTask, "queue"> & { readonly queue?: string }) =>
      site.submit({ queue: sharedWorker.queue, ...task }),
    /** A file that ends `gate` tasks once it is opened. */
    gate() {
      names += 1;
      const path = join(folder, `gate-${names}`);
      const open = () => writeFile(path, "");
      cleanups.push(open); // a worker with a task that never ends could not be closed
      return { path, open };
    },
    /** Pauses the queue of the shared worker during `work`. Resumes it even if `work` fails. */
    async whilePaused(work: () => Promise<void>) {
      await site.pause(sharedWorker.queue);
      await work().finally(() => site.resume(sharedWorker.queue));
    },
    /** A unique queue name. */
    freshQueue() {
      names += 1;
      return `queue-${names}`;
    },
    /** Sends a command and waits for its result. */
    async send(action: CommandAction, parameters: object, id: string = randomUUID()) {
      const before = resultsOf(id).length;
      deliveries.push(id);
      const target = { type: "task", id: "", engine: engine.engine };
      const timeout_seconds = 60;
      peer.send("command", { action, target, parameters, timeout_seconds, delivery_claim_token: randomUUID() }, id);
      const frame = await waitFor(() => resultsOf(id)[before], {
        that: `a result of ${action}`,
      });
      return frame.payload as unknown as Outcome;
    },
    async stop() {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    },
  };
  await stage.startAgent();
  return stage;
}

/** A service over PostgreSQL, whose connections to it a test can cut, and schedulers that fire into it over gRPC. */
import { createFakeClock, freePort, startFaultyNetwork, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { freshDatabaseUrl } from "@svc/testkit/databases";
import { onTestFinished } from "vitest";
import type { Brain } from "../../src/brain/brain.ts";
import { connectBrain } from "../../src/brain/grpc-brain.ts";
import type { SchedulerClock } from "../../src/clock.ts";
import { runScheduler } from "../../src/scheduler.ts";
import { createSimulatedClock, settled } from "./clock.ts";
import { defaultSettings } from "./world.ts";

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** The clock is the system's unless it is given. It ends with the test. */
export async function startRealService(clock?: Pick<SchedulerClock, "now" | "monotonicMs">) {
  const database = await freshDatabaseUrl("postgres");
  onTestFinished(database.drop);
  const through = new URL(database.url);
  const network = await startFaultyNetwork({ host: through.hostname, port: Number(through.port) });
  onTestFinished(network.close);
  through.host = `127.0.0.1:${network.port}`;
  const port = await freePort();
  const brain = await startTestBrain({
    ...(clock !== undefined && { clock: { ...createFakeClock(), now: clock.now, monotonicMs: clock.monotonicMs } }),
    databaseUrl: through.href,
    env: {
      SVC_ENVIRONMENT: "dev",
      SVC_SCHEDULER_GRPC_ENABLED: "true",
      SVC_SCHEDULER_GRPC_INSECURE: "true",
      SVC_SCHEDULER_GRPC_BIND_PORT: String(port),
    },
  });
  onTestFinished(async () => {
    network.heal();
    await brain.stop();
  });
  const connection = connectBrain({ target: `localhost:${port}`, tls: null, keepaliveMs: 10_000, maxBackoffMs: 1000 });
  return { brain, network, connection };
}

/** The service and a scheduler in simulated time, which waits for the calls between them. */
export async function createRealWorld(start: string) {
  const calls = new Set<Promise<unknown>>();
  async function settle(): Promise<void> {
    for (await settled(); calls.size > 0; await settled()) await Promise.allSettled(calls);
  }
  const clock = createSimulatedClock(start, settle);
  const { brain, network, connection } = await startRealService(clock);
  // They run in real time.
  await brain.running.brain.loops.stop();
  /** Frames that the scheduler has handled, and its open watches. */
  const watches = { open: 0, handled: 0 };
  const scheduler = runScheduler({
    settings: defaultSettings,
    brain: observe(connection, calls, watches),
    clock,
    log: silent,
    openLocks: null,
  });
  onTestFinished(async () => {
    await scheduler.stop(0);
    connection.close();
  });
  let isUp = true;

  return {
    brain,
    clock,
    scheduler,
    cut() {
      isUp = false;
      network.down();
    },
    heal() {
      isUp = true;
      network.heal();
    },
    /** Advances in steps, after each of which the service confirms to the scheduler that its state is current. */
    async advance(totalMs: number, stepMs = 5000): Promise<void> {
      for (let leftMs = totalMs; leftMs > 0; leftMs -= stepMs) {
        await clock.advance(Math.min(stepMs, leftMs));
        if (isUp) await confirm(brain, watches);
      }
    },
  };
}

async function confirm(brain: TestBrain, watches: { open: number; handled: number }): Promise<void> {
  const { handled } = watches;
  await waitFor(
    async () => {
      if (watches.open === 0 || watches.handled > handled) return true;
      await brain.running.brain.features.schedulerGrpc.poll().catch(() => {});
      return false;
    },
    { everyMs: 2, that: "a frame of the watch" },
  );
}

/** The service, with its unfinished calls and what its watch has sent noted. */
function observe(connection: Brain, calls: Set<Promise<unknown>>, watches: { open: number; handled: number }): Brain {
  function noted<Answer>(call: Promise<Answer>): Promise<Answer> {
    calls.add(call);
    const end = () => calls.delete(call);
    call.then(end, end);
    return call;
  }
  return {
    ping: (timeoutMs) => noted(connection.ping(timeoutMs)),
    fire: (request, timeoutMs) => noted(connection.fire(request, timeoutMs)),
    advance: (request, timeoutMs) => noted(connection.advance(request, timeoutMs)),
    quarantine: (request, timeoutMs) => noted(connection.quarantine(request, timeoutMs)),
    async *snapshot(request, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      noted(promise);
      try {
        yield* connection.snapshot(request, signal);
      } finally {
        resolve();
      }
    },
    async *watch(request, signal) {
      watches.open += 1;
      try {
        for await (const frame of connection.watch(request, signal)) {
          yield frame;
          watches.handled += 1;
        }
      } finally {
        watches.open -= 1;
      }
    },
    close() {},
  };
}

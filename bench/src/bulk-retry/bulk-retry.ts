import { join } from "node:path";
import { connectRaw, type RawAgent, rawEvents, rawHello } from "@svc/testkit/raw-agent";
import { bothDialects, type Dialect, onDatabases, type Place } from "../harness/databases.ts";
import { type BenchBrain, firstAgentOf, startBenchBrain, untilIdle } from "../harness/processes.ts";
import { medianOf } from "../harness/quantile.ts";
import {
  atLeast,
  atMost,
  type BenchContext,
  type BenchMode,
  type BenchRow,
  type BenchSuite,
  note,
} from "../harness/suite.ts";
import { failJobs, startBullmq } from "./bullmq.ts";
import { createRetrier, type Rate } from "./retrier.ts";

/**
 * Children of a bulk retry that a `svc serve` process sends and settles per second: a short request against one of ten times the length,
 * to an agent that answers immediately, and to the real side-car with a real BullMQ. The cost of a child must not grow with the request,
 * so the longer one must keep the rate of the shorter one.
 */
const sizes: Readonly<Record<BenchMode, { readonly small: number; readonly large: number }>> = {
  quick: { small: 100, large: 1000 },
  standard: { small: 1000, large: 10_000 },
  full: { small: 1000, large: 10_000 },
};
/** A longer request between two short ones; the medians count. Including the first, this stays within ten requests per minute. */
const rounds = 3;
/** The allowed ratio of a child's cost. */
const tolerance = 0.2;
const eventsPerFrame = 100;
const heartbeatMs = 10_000;

/** The engine that carries out the children. */
interface Engine {
  /** Reports failed tasks to the brain; returns the name of their queue. */
  fail(queue: string, count: number): Promise<string>;
  stop(): Promise<void>;
}

async function measure(context: BenchContext): Promise<readonly BenchRow[]> {
  const withBullmq: readonly Dialect[] = { quick: [], standard: ["sqlite"] as const, full: bothDialects }[context.mode];
  return [
    ...(await onDatabases(context, bothDialects, (place) =>
      measureAt(context, place, "an agent that answers immediately", startAnswering),
    )),
    ...(await onDatabases(context, withBullmq, (place) => measureAt(context, place, "BullMQ", startBullmqEngine))),
  ];
}

async function measureAt(
  context: BenchContext,
  place: Place,
  engineName: string,
  startEngine: (brain: BenchBrain, home: string) => Promise<Engine>,
): Promise<BenchRow[]> {
  const { small, large } = sizes[context.mode];
  const home = join(place.home, engineName);
  const brain = await startBenchBrain({ home, databaseUrl: place.databaseUrl, agents: 1 });
  const engine = await startEngine(brain, home);
  try {
    const retrier = createRetrier(brain);
    const run = async (queue: string, count: number): Promise<Rate> => {
      const known = await engine.fail(queue, count);
      await untilIdle(brain, context.signal);
      return retrier.rate(known, count, context.signal);
    };
    // The first request compiles code.
    await run("warm-up", small);
    const few: Rate[] = [];
    const many: Rate[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      few.push(await run(`small-before-${round}`, small));
      many.push(await run(`large-${round}`, large));
      few.push(await run(`small-after-${round}`, small));
    }
    const words = [...few, ...many].map(
      ({ childrenPerSecond, cpuMsPerChild }) => `${Math.round(childrenPerSecond)} (${cpuMsPerChild.toFixed(2)} ms)`,
    );
    context.log(`${place.label}, ${engineName}: ${words.join(", ")} children/s`);
    return rowsOf(`${place.label}, ${engineName}`, { few, many, small, large, inFlight: retrier.meanInFlight() });
  } finally {
    await engine.stop();
    await brain.stop();
  }
}

function rowsOf(
  what: string,
  {
    few,
    many,
    small,
    large,
    inFlight,
  }: { few: readonly Rate[]; many: readonly Rate[]; small: number; large: number; inFlight: number },
): BenchRow[] {
  const words = (count: number) => count.toLocaleString("en");
  const rate = (rates: readonly Rate[]) => medianOf(rates.map(({ childrenPerSecond }) => childrenPerSecond));
  const cost = (rates: readonly Rate[]) => medianOf(rates.map(({ cpuMsPerChild }) => cpuMsPerChild));
  return [
    note(`${what}: ${words(small)} children`, rate(few), "children/s"),
    atLeast(`${what}: ${words(large)} children against ${words(small)}`, rate(many), "children/s", {
      limit: rate(few),
      target: 1 - tolerance,
    }),
    atMost(`${what}: CPU time of the service per child, ${words(large)} against ${words(small)}`, cost(many), "ms", {
      limit: cost(few),
      target: 1 + tolerance,
    }),
    note(`${what}: children in flight, of 8`, inFlight, "children"),
  ];
}

/** An agent without an engine, in this process. */
async function startAnswering(brain: BenchBrain): Promise<Engine> {
  const hello = rawHello({ capabilities: { bullmq: ["bulk_retry", "retry_by_reference_v1"] } });
  const agent = await connectRaw({ url: brain.url, ...firstAgentOf(brain) }, { hello });
  const beats = setInterval(
    () => agent.sendFrame("heartbeat", { buffer_size: 0, dropped_events: 0, adapter_health: {} }),
    heartbeatMs,
  );
  answerAll(agent);
  return {
    async fail(queue, count) {
      for (let sent = 0; sent < count; sent += eventsPerFrame) {
        const events = rawEvents(Math.min(eventsPerFrame, count - sent), `${queue}-${sent}`, { queue });
        await agent.ackOf(agent.sendEvents(events.map((event) => ({ ...event, kind: "task.failed" }))));
      }
      return queue;
    },
    async stop() {
      clearInterval(beats);
      await agent.close();
    },
  };
}

function answerAll(agent: RawAgent): void {
  let handled = agent.frames.length;
  agent.socket.on("message", () => {
    for (; handled < agent.frames.length; handled += 1) {
      const frame = agent.frames[handled];
      if (frame?.type !== "command" || frame.payload === null) continue;
      const { parameters, delivery_claim_token } = frame.payload as {
        parameters: { filter: { task_ids: string[] } };
        delivery_claim_token: string;
      };
      const results = parameters.filter.task_ids.map((task_id) => ({ task_id, status: "success" }));
      agent.sendFrame("command_ack", { delivery_claim_token }, frame.id);
      agent.sendFrame("command_result", { status: "success", result: { results }, delivery_claim_token }, frame.id);
    }
  });
}

/** The real side-car with a real Redis, and jobs that failed in a real worker. */
async function startBullmqEngine(brain: BenchBrain, home: string): Promise<Engine> {
  const bullmq = await startBullmq(brain, join(home, "agent"));
  return { fail: (queue, count) => failJobs(bullmq, queue, count), stop: bullmq.stop };
}

export const suite: BenchSuite = {
  name: "bulk-retry",
  about: "children/s of a bulk retry over WebSocket, for short and long requests, also with BullMQ",
  diskBytes: { quick: 1e9, standard: 2e9, full: 2e9 },
  run: measure,
};

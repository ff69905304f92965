import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startAgent } from "@svc/agent";
import { waitFor } from "@svc/testkit";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { bothDialects, onDatabases, type Place } from "../harness/databases.ts";
import { type BenchBrain, startBenchBrain } from "../harness/processes.ts";
import { quantile } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { anyAddress, beat, connectAll } from "./fleet.ts";

/** Time from the request for a command to its execution in a real agent, on one machine, while other agents send heartbeats. */
const agents: Record<BenchMode, number> = { quick: 200, standard: 500, full: 500 };
const limitMs = { ws: 50, longpoll: 300 } as const;
const samples: Record<BenchMode, number> = { quick: 100, standard: 500, full: 1000 };
/** Polls and uploads count towards the connect budget of 600 per minute. */
const pollSamples: Record<BenchMode, number> = { quick: 40, standard: 150, full: 150 };
const warmUps = 10;

type Transport = keyof typeof limitMs;

interface Target {
  /** Milliseconds from the request to the execution of a command. */
  time(): Promise<number>;
  stop(): Promise<void>;
}

async function startTarget(brain: BenchBrain, { home }: Place, transport: Transport): Promise<Target> {
  const { root } = brain;
  const project = `/projects/${brain.slug}`;
  const { body: minted } = await root.post(`${project}/agents`, { name: `target-${transport}` });
  const adapter = createScriptedAdapter("scripted", ["cancel_task"]);
  let executed: (taskId: unknown) => void = () => {};
  adapter.answerCommands(async ({ parameters }) => {
    executed(parameters.task_id);
    return { status: "success", result: {} };
  });
  const agentId = minted.agent.id as string;
  const agent = startAgent({
    brainUrl: brain.url,
    token: minted.token,
    hmacSecret: minted.hmac_secret,
    agentId,
    devMode: true,
    transport,
    engines: [adapter],
    bufferPath: join(home, transport),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const there = async () => (await root.get(`${project}/agents/${agentId}`)).body.transport === transport;
  await waitFor(there, { withinMs: 30_000, that: `the agent over ${transport}` });
  // Its session row is written slightly later.
  await pause(500);
  let tasks = 0;
  return {
    async time() {
      tasks += 1;
      const task_id = `task-${tasks}`;
      const execution = new Promise<void>((resolve) => {
        executed = (id) => id === task_id && resolve();
      });
      const startedAt = performance.now();
      const request = root.post(`${project}/commands/cancel-task`, { agent_id: agentId, engine: "scripted", task_id });
      await execution;
      const ms = performance.now() - startedAt;
      const { status } = await request;
      if (status !== 202) throw new Error(`the command was answered with ${status}`);
      return ms;
    },
    stop: () => agent.stop(),
  };
}

async function measure(context: BenchContext, place: Place): Promise<BenchRow[]> {
  const connected = agents[context.mode];
  const { home, databaseUrl } = place;
  const brain = await startBenchBrain({ home, databaseUrl, agents: connected, env: anyAddress });
  const rows: BenchRow[] = [];
  const idle = await connectAll(brain, context.signal);
  const stopBeating = beat(idle);
  try {
    for (const transport of ["ws", "longpoll"] as const) {
      const target = await startTarget(brain, place, transport);
      const times: number[] = [];
      const count = (transport === "ws" ? samples : pollSamples)[context.mode];
      for (let round = -warmUps; round < count; round += 1) {
        context.signal.throwIfAborted();
        const ms = await target.time();
        if (round >= 0) times.push(ms);
        // A pause like a user's, in which the next poll starts.
        await pause(transport === "ws" ? 5 : 50);
      }
      await target.stop();
      const what = `request to execution over ${transport}, ${connected} agents, ${place.dialect}`;
      rows.push(
        atMost(`${what}, p95`, quantile(times, 0.95), "ms", { stated: limitMs[transport] }),
        note(`${what}, median`, quantile(times, 0.5), "ms"),
      );
      context.log(`${what}: ${quantile(times, 0.5).toFixed(1)} and ${quantile(times, 0.95).toFixed(1)} ms`);
    }
    return rows;
  } finally {
    stopBeating();
    for (const { socket } of idle) socket.terminate();
    await brain.stop();
  }
}

export const suite: BenchSuite = {
  name: "commands",
  about: "from the request for a command to its execution in an agent, over WebSocket and long-poll",
  diskBytes: { quick: 1e9, standard: 1e9, full: 1e9 },
  run: (context) => onDatabases(context, bothDialects, (place) => measure(context, place)),
};

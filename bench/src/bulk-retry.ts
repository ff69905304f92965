import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createTestDatabase } from "@svc/testkit";
import { signIn } from "@svc/testkit/brain";
import { connectRaw, type RawAgent, rawEvents, rawHello } from "@svc/testkit/raw-agent";
import { type BenchBrain, benchAccount, startBenchBrain } from "./brain-client.ts";
import { medianOf } from "./ingest-pipeline.ts";
import { atLeast, type BenchContext, type BenchRow, type BenchSuite, note } from "./suite.ts";

/**
 * Children of a bulk retry that a `svc serve` process sends and settles in a second, to one agent that answers at once: 1,000 against
 * 10,000 of them. The cost of a child must not grow with the request, so the longer one keeps the rate of the shorter.
 */
const small = 1000;
const large = 10_000;
const target = 0.8;
const eventsPerFrame = 100;
const giveUpMs = 240_000;

async function measure(context: BenchContext): Promise<readonly BenchRow[]> {
  const rows = await onDatabase(context, "SQLite");
  const { url, drop } = await createTestDatabase(await context.postgres());
  try {
    return [...rows, ...(await onDatabase(context, "PostgreSQL", url))];
  } finally {
    await drop();
  }
}

async function onDatabase(context: BenchContext, name: string, databaseUrl?: string): Promise<BenchRow[]> {
  const home = join(context.scratchDir, name);
  await mkdir(home, { recursive: true });
  const brain = await startBenchBrain({ home, agents: 1, ...(databaseUrl !== undefined && { databaseUrl }) });
  try {
    const [minted] = brain.agents;
    if (minted === undefined) throw new Error("the bench agent is missing");
    const hello = rawHello({ capabilities: { bullmq: ["bulk_retry", "retry_by_reference_v1"] } });
    const agent = await connectRaw({ url: brain.url, ...minted }, { hello });
    await failTasks(agent, "large", large);
    await failTasks(agent, "small", small);
    const rate = await retrier(brain, agent);
    await rate("small", small);
    const few: number[] = [];
    const many: number[] = [];
    for (let round = 0; round < (context.mode === "quick" ? 1 : 3); round += 1) {
      context.signal.throwIfAborted();
      few.push(await rate("small", small));
      many.push(await rate("large", large));
      few.push(await rate("small", small));
      context.log(`${name}: ${Math.round(few.at(-1) ?? 0)} and ${Math.round(many.at(-1) ?? 0)} children/s`);
    }
    await agent.close();
    const limit = medianOf(few);
    return [
      note({ name: `${name}, 1,000 children`, figure: limit, unit: "children/s" }),
      atLeast({
        name: `${name}, 10,000 children against 1,000`,
        figure: medianOf(many),
        unit: "children/s",
        limit,
        target,
      }),
    ];
  } finally {
    await brain.stop();
  }
}

async function failTasks(agent: RawAgent, queue: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += eventsPerFrame) {
    const events = rawEvents(eventsPerFrame, `${queue}-${sent}`, { queue }).map((event) => ({
      ...event,
      kind: "task.failed",
    }));
    await agent.ackOf(agent.sendEvents(events));
  }
}

/** Runs one bulk retry over a queue's failed tasks; gives children a second from the first one sent to the last one settled. */
async function retrier(brain: BenchBrain, agent: RawAgent) {
  const caller = await signIn(brain.url, benchAccount.email, benchAccount.password);
  const [project] = (await caller.get("/projects")).body as { slug: string }[];
  const path = `/projects/${project?.slug}/bulk-retry-requests`;
  let answered = 0;
  let first = 0;
  let last = 0;
  let looked = agent.frames.length;
  agent.socket.on("message", () => {
    for (; looked < agent.frames.length; looked += 1) {
      const frame = agent.frames[looked];
      if (frame?.type !== "command" || frame.payload === null) continue;
      const { parameters, delivery_claim_token } = frame.payload as {
        parameters: { filter: { task_ids: string[] } };
        delivery_claim_token: string;
      };
      const results = parameters.filter.task_ids.map((task_id) => ({ task_id, status: "success" }));
      agent.sendFrame("command_result", { status: "success", result: { results }, delivery_claim_token }, frame.id);
      answered += 1;
      last = performance.now();
      if (answered === 1) first = last;
    }
  });

  return async function rate(queue: string, count: number): Promise<number> {
    answered = 0;
    const body = { idempotency_key: randomUUID(), filter: { queue }, max: large };
    const made = await caller.post(path, body);
    if (made.status !== 202) throw new Error(`the bulk retry answered ${made.status}: ${made.text}`);
    const endMs = performance.now() + giveUpMs;
    for (;;) {
      const { status } = (await caller.get(`${path}/${made.body.id}`)).body;
      if (status === "succeeded") break;
      if (performance.now() > endMs) throw new Error(`only ${answered} of ${count} children were sent`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return (count - 1) / ((last - first) / 1000);
  };
}

export const suite: BenchSuite = {
  name: "bulk-retry",
  about: "children/s of a bulk retry over WebSocket at 1,000 and 10,000 children, on both databases",
  diskBytes: { quick: 2e9, standard: 2e9, full: 2e9 },
  run: measure,
};

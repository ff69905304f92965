import { availableParallelism } from "node:os";
import { join } from "node:path";
import { onDatabase } from "../harness/databases.ts";
import { type BenchBrain, startBenchBrain } from "../harness/processes.ts";
import { medianOf } from "../harness/quantile.ts";
import { atLeast, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { overWebSocket } from "./load.ts";

/**
 * One and two `svc serve` processes on one PostgreSQL, with the same eight agents. A process, its share of the database and the sender
 * need about two cores, so two processes can be faster only with more cores: on fewer, the ratio is printed but not judged.
 */
const target = 1.4;
const coresNeeded = 4;
const agents = 8;
// The processes of one installation share their master secrets.
const secrets = {
  SVC_SECRET: "bench master of tokens and signatures",
  SVC_SESSION_SECRET: "bench master of the session cookies",
  SVC_AUDIT_CHAIN_SECRET: "bench master of the audit chain, long",
};

const measure = (context: BenchContext) =>
  onDatabase(context, "postgres", async ({ home, databaseUrl }) => {
    const brains: BenchBrain[] = [];
    try {
      for (const name of ["first", "second"]) {
        const minted = brains.length === 0 ? agents : 0;
        brains.push(await startBenchBrain({ home: join(home, name), databaseUrl, agents: minted, env: secrets }));
      }
      return await compare(context, brains as [BenchBrain, BenchBrain]);
    } finally {
      await Promise.all(brains.map((brain) => brain.stop()));
    }
  });

async function compare(context: BenchContext, [first, second]: [BenchBrain, BenchBrain]): Promise<readonly BenchRow[]> {
  const [framesPerAgent, rounds] = context.mode === "quick" ? [50, 1] : [300, 3];
  const rateOver = (ports: readonly number[]) => overWebSocket(first.agents, ports, framesPerAgent);
  await rateOver([first.port, second.port]);
  const alone: number[] = [];
  const both: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    context.signal.throwIfAborted();
    alone.push(await rateOver([first.port]));
    both.push(await rateOver([first.port, second.port]));
    context.log(`round ${round + 1}: ${Math.round(alone.at(-1) ?? 0)} and ${Math.round(both.at(-1) ?? 0)} events/s`);
  }
  const cores = availableParallelism();
  const [figure, limit] = [medianOf(both), medianOf(alone)];
  const name = "two processes on one PostgreSQL against one";
  if (cores >= coresNeeded) return [atLeast(name, figure, "events/s", { limit, target })];
  return [
    note("one process on PostgreSQL", limit, "events/s"),
    note(`${name}, not judged on ${cores} cores`, figure / limit, "times"),
  ];
}

export const suite: BenchSuite = {
  name: "two-brains",
  about: "two svc serve processes on one PostgreSQL against one, over WebSocket",
  diskBytes: { quick: 2e9, standard: 4e9, full: 4e9 },
  run: measure,
};

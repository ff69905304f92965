import pg from "pg";
import { onDatabase, prepareStorage, withStorage } from "../harness/databases.ts";
import { medianBy, medianOf, quantile } from "../harness/quantile.ts";
import {
  atLeast,
  atMost,
  type BenchContext,
  type BenchMode,
  type BenchRow,
  type BenchSuite,
  note,
} from "../harness/suite.ts";
import { copyLine, copyRows } from "./copy-rows.ts";
import { runPipeline } from "./pipeline.ts";
import { type Connection, signTraffic, type Traffic } from "./signed-traffic.ts";

/**
 * The complete path of a frame into PostgreSQL against plain COPY of the same event rows into the same partitioned table: once with the
 * three events of a task in one commit, once with a third of the traffic between them, so that each task row is written three times. Then
 * the group commit: 32 agents that send one event per frame and wait for each answer, with and without it.
 */
/** Quick rounds end while the service's code is still being compiled, unlike COPY. */
const foldedTargets: Readonly<Record<BenchMode, number>> = { quick: 0.35, standard: 0.45, full: 0.45 };
const groupTarget = 2;
const ackLimitMs = 50;
const rowsPerCopy = 4000;
const copiesOfRound = 3;
/** Traffic with separate events has no target. */
const quickRounds: Readonly<Record<Traffic["tasks"], number>> = { together: 2, apart: 1 };
/** Per connection. */
const quickFrames: Readonly<Record<Traffic["tasks"], number>> = { together: 300, apart: 40 };

const columns = "id, project_id, agent_id, engine, task_id, kind, occurred_at, payload";

interface CopyRound {
  readonly rate: number;
  readonly settled: number;
  readonly copy: number;
}

/** Rows per second of the pipeline, and of a COPY of its rows. */
const measureRound = (context: BenchContext, connections: readonly Connection[]): Promise<CopyRound> =>
  onDatabase(context, "postgres", async ({ databaseUrl: url }) => {
    const { events, seconds, settledSeconds } = await withStorage(url, async (database) => {
      await prepareStorage(database);
      return runPipeline(database, connections, { window: Infinity });
    });
    return { rate: events / seconds, settled: events / settledSeconds, copy: await copyRate(url) };
  });

/** Copies a database's events repeatedly into the emptied table, one durable commit per batch; returns the median rate. */
async function copyRate(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<string[]>({
    text: `SELECT id::text, project_id::text, agent_id::text, engine, task_id, kind, occurred_at::text, payload::text
             FROM events ORDER BY occurred_at, id`,
    rowMode: "array",
  });
  const batches: Buffer[] = [];
  for (let start = 0; start < rows.length; start += rowsPerCopy) {
    const lines = rows.slice(start, start + rowsPerCopy).map(copyLine);
    batches.push(Buffer.from(lines.join("")));
  }
  const rates: number[] = [];
  for (let copy = 0; copy < copiesOfRound; copy += 1) {
    await client.query("TRUNCATE events");
    const startedMs = performance.now();
    for (const batch of batches) await copyRows(client, `COPY events (${columns}) FROM STDIN`, batch);
    rates.push(rows.length / ((performance.now() - startedMs) / 1000));
  }
  await client.end();
  return medianOf(rates);
}

/** The round with the median ratio. */
async function measureBatches(context: BenchContext, tasks: Traffic["tasks"]): Promise<CopyRound> {
  const isQuick = context.mode === "quick";
  const connections = signTraffic({
    connections: 4,
    framesPerConnection: isQuick ? quickFrames[tasks] : 450,
    eventsPerFrame: 100,
    tasks,
  });
  const rounds = isQuick ? quickRounds[tasks] : 3;
  const results: CopyRound[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    context.signal.throwIfAborted();
    const result = await measureRound(context, connections);
    context.log(`${tasks}, round ${round}: ${Math.round(result.rate)} of ${Math.round(result.copy)} events/s`);
    // The first round warms up.
    if (round > 0) results.push(result);
  }
  return medianBy(results, ({ rate, copy }) => rate / copy);
}

async function measureSingles(context: BenchContext, grouping: { maxGroupRows: number; lanes: number } | undefined) {
  const connections = signTraffic({
    connections: 32,
    framesPerConnection: context.mode === "quick" ? 80 : 900,
    eventsPerFrame: 1,
    tasks: "together",
  });
  return onDatabase(context, "postgres", ({ databaseUrl }) =>
    withStorage(databaseUrl, async (database) => {
      await prepareStorage(database);
      // Warm-up: the first frames open connections, prepare statements and compile code.
      const warmUp = connections.map((connection) => ({ ...connection, frames: connection.frames.slice(0, 30) }));
      await runPipeline(database, warmUp, { window: 1, grouping });
      const rest = connections.map((connection) => ({ ...connection, frames: connection.frames.slice(30) }));
      const { events, seconds, ackMs } = await runPipeline(database, rest, { window: 1, grouping });
      return { rate: events / seconds, p99: quantile(ackMs, 0.99), p50: medianOf(ackMs) };
    }),
  );
}

async function measure(context: BenchContext): Promise<readonly BenchRow[]> {
  const folded = await measureBatches(context, "together");
  const unfolded = await measureBatches(context, "apart");
  // Without the group commit, the number of free pool connections limits parallel transactions.
  const alone = await measureSingles(context, { maxGroupRows: 1, lanes: 8 });
  const grouped = await measureSingles(context, undefined);
  return [
    atLeast("events of a task in one commit, against COPY", folded.rate, "events/s", {
      limit: folded.copy,
      target: foldedTargets[context.mode],
    }),
    note("same, until counters are settled", folded.settled, "events/s"),
    note("events of a task in three commits", unfolded.rate, "events/s"),
    note("same, share of COPY", unfolded.rate / unfolded.copy, ""),
    atLeast("one event per frame, 32 agents, with against without group commit", grouped.rate, "events/s", {
      limit: alone.rate,
      target: groupTarget,
    }),
    atMost("acknowledgement with group commit, p99", grouped.p99, "ms", { stated: ackLimitMs }),
    note("acknowledgement with group commit, median", grouped.p50, "ms"),
  ];
}

export const suite: BenchSuite = {
  name: "ingest-postgres",
  about: "verified frames into PostgreSQL, against COPY of the same rows; with against without group commit",
  diskBytes: { quick: 1e9, standard: 2e9, full: 2e9 },
  run: measure,
};

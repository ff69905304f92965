import { join } from "node:path";
import { startBenchBrain } from "../harness/processes.ts";
import { atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { eventsPerFrame, overWebSocket } from "./load.ts";

/** Memory of `svc serve` on SQLite during ingest, and its start time on the resulting database. */
const events = { quick: 250_000, standard: 2_000_000, full: 10_000_000 } as const;
const roundFramesPerAgent = 250;
const limitBytes = 300e6;
const readyLimitMs = 1000;

async function measure({ scratchDir, mode, log, signal }: BenchContext): Promise<readonly BenchRow[]> {
  const home = join(scratchDir, "home");
  const brain = await startBenchBrain({ home });
  const perRound = roundFramesPerAgent * eventsPerFrame * brain.agents.length;
  const rounds = Math.ceil(events[mode] / perRound);
  const samples: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted();
    rates.push(await overWebSocket(brain.agents, [brain.port], roundFramesPerAgent));
    samples.push((await brain.usage()).rssBytes);
    if (round % 10 === 9) log(`${(round + 1) * perRound} events, ${Math.round((samples.at(-1) ?? 0) / 1e6)} MB`);
  }
  await brain.stop();
  const again = await startBenchBrain({ home, agents: 0 });
  await again.stop();
  const half = Math.floor(samples.length / 2);
  const firstHalf = Math.max(...samples.slice(0, Math.max(1, half)));
  const secondHalf = Math.max(...samples.slice(half));
  return [
    atMost(`resident memory over ${rounds * perRound} events`, Math.max(...samples), "bytes", { limit: limitBytes }),
    atMost("maximum of the second half against the first", secondHalf, "bytes", { limit: firstHalf, target: 1.1 }),
    atMost("start to ready on the resulting database", again.startMs, "ms", { stated: readyLimitMs }),
    note("events per second, last round", rates.at(-1) ?? 0, "events/s"),
  ];
}

export const suite: BenchSuite = {
  name: "memory",
  about: "resident memory of svc serve during ingest, and its start on the resulting database",
  diskBytes: { quick: 1e9, standard: 4e9, full: 16e9 },
  run: measure,
};

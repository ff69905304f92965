import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { prepareStorage, withStorage } from "../harness/databases.ts";
import { medianOf } from "../harness/quantile.ts";
import { type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { againstBareLoop, type ComparedRound, createRowReader, openBareLoops, removeDatabase } from "./bare-loop.ts";
import { runPipeline } from "./pipeline.ts";
import { signTraffic } from "./signed-traffic.ts";

/**
 * The complete path of a frame into SQLite (verify, parse, redact, prepare, store, project, count, index) against a bare loop that writes
 * the same event and task rows, read back from the pipeline's database, into the same schema. Both commit durably (synchronous=FULL),
 * alternate, and start with an empty file.
 */
async function measure({ scratchDir, mode, log, signal }: BenchContext): Promise<readonly BenchRow[]> {
  const rounds = mode === "quick" ? 2 : 3;
  const connections = signTraffic({
    connections: 4,
    framesPerConnection: mode === "quick" ? 400 : 900,
    eventsPerFrame: 100,
    tasks: "together",
  });
  const file = join(scratchDir, "pipeline.db");
  const measured: ComparedRound[] = [];
  const settledRates: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const { events, seconds, settledSeconds } = await withStorage(`sqlite://${file}`, async (database) => {
      await prepareStorage(database);
      return runPipeline(database, connections, { window: Infinity });
    });
    const rows = createRowReader(file)();
    await removeDatabase(file);
    await pause(200);
    const loops = await openBareLoops(scratchDir);
    const ofRound = loops.write(rows);
    await loops.remove();
    log(`round ${round}: ${Math.round(events / seconds)} of ${Math.round(ofRound.reference)} events/s`);
    // Warm-up.
    if (round === 0) continue;
    measured.push({ service: events / seconds, ...ofRound });
    settledRates.push(events / settledSeconds);
  }
  return [
    ...againstBareLoop("frames to stored rows", mode, measured),
    note("same, until counters and id index are settled", medianOf(settledRates), "events/s"),
  ];
}

export const suite: BenchSuite = {
  name: "ingest-sqlite",
  about: "verified frames of 100 events into SQLite, against a bare loop that writes the same rows",
  diskBytes: { quick: 1e9, standard: 2e9, full: 2e9 },
  run: measure,
};

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type BenchBrain, startBenchBrain, untilIdle } from "../harness/processes.ts";
import type { BenchContext, BenchRow, BenchSuite } from "../harness/suite.ts";
import { againstBareLoop, type ComparedRound, createRowReader, openBareLoops } from "../ingest/bare-loop.ts";
import { overLongpoll, overWebSocket } from "./load.ts";

/**
 * A complete `svc serve` process on SQLite that receives frames of 100 events from eight agents over real sockets, against a bare loop
 * that writes the stored rows into the same schema. The sender shares the cores with the service. A long-poll agent uploads one body
 * after another, so several are needed to keep the service busy.
 */
const agents = 8;
const transports = {
  websocket: (brain: BenchBrain, frames: number) => overWebSocket(brain.agents, [brain.port], frames),
  "long-poll": overLongpoll,
} as const;

async function measure({ scratchDir, mode, log, signal }: BenchContext): Promise<readonly BenchRow[]> {
  const framesPerAgent = mode === "quick" ? 150 : 200;
  const rounds = mode === "quick" ? 2 : 5;
  const rows: BenchRow[] = [];
  for (const [name, send] of Object.entries(transports)) {
    const home = join(scratchDir, name);
    const brain = await startBenchBrain({ home, agents });
    const newRows = createRowReader(join(home, "svc.db"));
    const loops = await openBareLoops(scratchDir);
    const measured: ComparedRound[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      signal.throwIfAborted();
      const rate = await send(brain, framesPerAgent);
      await untilIdle(brain, signal);
      const ofRound = loops.write(newRows());
      log(`${name}, round ${round}: ${Math.round(rate)} of ${Math.round(ofRound.reference)} events/s`);
      // Warm-up: the first round fills caches. Both store its rows, but it is not counted.
      if (round > 0) measured.push({ service: rate, ...ofRound });
    }
    await brain.stop();
    await loops.remove();
    await rm(home, { recursive: true, force: true });
    rows.push(...againstBareLoop(`${name}, frames of 100 events`, mode, measured));
  }
  return rows;
}

export const suite: BenchSuite = {
  name: "transport",
  about: "svc serve on SQLite over WebSocket and long-poll, against a bare loop that writes the same rows",
  diskBytes: { quick: 2e9, standard: 4e9, full: 4e9 },
  run: measure,
};

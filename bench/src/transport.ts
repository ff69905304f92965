import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type BenchBrain, startBenchBrain } from "./brain-client.ts";
import { openBenchDatabase } from "./ingest-pipeline.ts";
import { bareLoop, rowsOf } from "./ingest-sqlite.ts";
import { atLeast, type BenchContext, type BenchRow, type BenchSuite } from "./suite.ts";
import { overLongpoll, overWebSocket } from "./transport-load.ts";

/**
 * A whole `svc serve` process on SQLite, fed by four agents over real sockets with frames of 100 events, against a bare loop that writes
 * the rows which the service stored into the same schema. The sender shares the cores with the service.
 */
const target = 0.75;
const transports = {
  websocket: (brain: BenchBrain, frames: number) => overWebSocket(brain.agents, [brain.port], frames),
  "long-poll": overLongpoll,
} as const;

async function measure({ scratchDir, mode, log, signal }: BenchContext): Promise<readonly BenchRow[]> {
  const framesPerAgent = mode === "quick" ? 400 : 1000;
  const rows: BenchRow[] = [];
  for (const [name, send] of Object.entries(transports)) {
    signal.throwIfAborted();
    const home = join(scratchDir, name);
    await rm(home, { recursive: true, force: true });
    const brain = await startBenchBrain({ home: await made(home) });
    // The first round warms the service up and fills its caches; its rows are stored as well and count for nothing.
    await send(brain, Math.ceil(framesPerAgent / 4));
    const rate = await send(brain, framesPerAgent);
    await brain.stop();
    const bareFile = join(scratchDir, `${name}-bare.db`);
    await (await openBenchDatabase(`sqlite://${bareFile}`)).close();
    const events = rowsOf(join(home, "svc.db"), "events");
    const bareSeconds = bareLoop(bareFile, events, rowsOf(join(home, "svc.db"), "tasks"));
    const limit = events.rows.length / bareSeconds;
    log(`${name}: ${Math.round(rate)} of ${Math.round(limit)} events/s`);
    rows.push(atLeast({ name: `${name}, frames of 100 events`, figure: rate, unit: "events/s", limit, target }));
    await rm(home, { recursive: true, force: true });
    await rm(bareFile, { force: true });
  }
  return rows;
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

export const suite: BenchSuite = {
  name: "transport",
  about: "svc serve on SQLite over WebSocket and long-poll, against a bare loop that writes the same rows",
  diskBytes: { quick: 2e9, standard: 4e9, full: 4e9 },
  run: measure,
};

import { DurableBuffer } from "../src/buffer/buffer.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { stderrLog } from "../src/runtime/log.ts";

/**
 * Child process of the crash test: writes batches with a cursor after each, and prints the number of each durable one, until
 * it is killed.
 */
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("usage: crash-writer.ts DIRECTORY");
const limits = { maxEntries: 100_000, maxBytes: 256 * 1024 * 1024 };
const buffer = new DurableBuffer({ place: { directory, name: "agent", limits }, clock: systemClock, log: stderrLog });

let next = Number(buffer.cursor("position") ?? "0");
const write = (): void => {
  const payload = "x".repeat(500);
  const entry = { type: "event_batch" as const, frameId: `ev_${next}`, records: 1, payload, sizeBytes: 500 };
  next += 1;
  buffer.apply({ add: [entry], cursors: [["position", String(next)]] });
  process.stdout.write(`${next}\n`);
  setImmediate(write);
};
write();

import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const poolBytes = 10 * 256;
const pool = Buffer.alloc(poolBytes);
let poolOffset = poolBytes;

/** The last id of a clock: its milliseconds, and the counter behind them. */
const lastOf = new WeakMap<Pick<Clock, "now">, { time: number; count: number }>();
const firstCounts = 2 ** 25;

/**
 * A fresh UUID version 7 (RFC 9562): 48 bits of unix milliseconds, a counter of 26 bits that begins at random in each millisecond, then random
 * bits. The ids of a clock sort in the order in which they were made, as long as it does not go back.
 */
export function uuidV7(clock: Pick<Clock, "now">): string {
  // Random bytes come in batches: one call per id costs several times the rest of this function.
  if (poolOffset === poolBytes) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const offset = poolOffset;
  poolOffset += 10;
  const time = clock.now().getTime();
  const last = lastOf.get(clock);
  const count = last?.time === time ? last.count + 1 : pool.readUInt32BE(offset) % firstCounts;
  if (last === undefined) lastOf.set(clock, { time, count });
  else {
    last.time = time;
    last.count = count;
  }
  pool.writeUInt16BE(0x7000 | ((count >>> 14) & 0x0fff), offset);
  pool.writeUInt16BE(0x8000 | (count & 0x3fff), offset + 2);
  const stamp = time.toString(16).padStart(12, "0");
  const random = pool.toString("hex", offset, offset + 10);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${random.slice(0, 4)}-${random.slice(4, 8)}-${random.slice(8)}`;
}

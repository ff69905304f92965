import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const poolBytes = 10 * 256;
const pool = Buffer.alloc(poolBytes);
let poolOffset = poolBytes;

/** A fresh UUID version 7 (RFC 9562): 48 bits of unix milliseconds, then random bits; ids sort by the time they were made. */
export function uuidV7(clock: Pick<Clock, "now">): string {
  // Random bytes come in batches: one call per id costs several times the rest of this function.
  if (poolOffset === poolBytes) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const offset = poolOffset;
  poolOffset += 10;
  const time = clock.now().getTime().toString(16).padStart(12, "0");
  pool[offset] = (pool[offset]! & 0x0f) | 0x70;
  pool[offset + 2] = (pool[offset + 2]! & 0x3f) | 0x80;
  const random = pool.toString("hex", offset, offset + 10);
  return `${time.slice(0, 8)}-${time.slice(8)}-${random.slice(0, 4)}-${random.slice(4, 8)}-${random.slice(8)}`;
}

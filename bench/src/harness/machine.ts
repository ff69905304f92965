import { createHmac } from "node:crypto";
import { medianOf } from "./quantile.ts";

/**
 * What a message of a kibibyte cost on the machine that limits of time are stated for: to check its HMAC and to parse it, in
 * microseconds of one of its two cores.
 */
const statedForMicros = 5.9;
const rounds = 15;
const messagesInRound = 4000;

const key = Buffer.alloc(32, 7);
const message = JSON.stringify({
  type: "event_batch",
  payload: {
    events: Array.from({ length: 8 }, (_, number) => ({ id: number, kind: "task.sent", name: "a".repeat(80) })),
  },
});

/** How many times the time of the machine that limits are stated for this one needs just now; 1 for a quicker one. */
export function slownessNow(): number {
  const micros = Array.from({ length: rounds + 1 }, microsOfRound);
  // The first round is spent on compiling.
  return Math.max(1, medianOf(micros.slice(1)) / statedForMicros);
}

function microsOfRound(): number {
  const from = process.cpuUsage();
  for (let count = 0; count < messagesInRound; count += 1) {
    createHmac("sha256", key).update(message).digest();
    JSON.parse(message);
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / messagesInRound;
}

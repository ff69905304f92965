import { createHmac, createSecretKey } from "node:crypto";
import { medianOf } from "./quantile.ts";

/**
 * The cost of a message of 633 bytes on the reference machine of the time limits: 2.3 microseconds of one core to check its HMAC and 1.6
 * to parse it.
 */
const statedForMicros = 2.3 + 1.6;
const messageBytes = 633;
const rounds = 15;
const messagesInRound = 4000;

const key = createSecretKey(Buffer.alloc(32, 7));
const message = messageOf(messageBytes);
const bytes = Buffer.from(message);

function messageOf(length: number): string {
  const members = { task_name: "app.emails.send", queue: "emails", attempt: 0, runtime_ms: 105, tags: ["a", "b"] };
  const text = (note: string) => JSON.stringify({ id: 1, kind: "task.succeeded", data: { ...members, note } });
  return text("x".repeat(length - text("").length));
}

/** How many times slower this machine currently is than the reference machine; 1 for a faster one. */
export function slownessNow(): number {
  const micros = Array.from({ length: rounds + 1 }, microsOfRound);
  // Warm-up: the first round compiles code.
  return Math.max(1, medianOf(micros.slice(1)) / statedForMicros);
}

function microsOfRound(): number {
  const from = process.cpuUsage();
  for (let count = 0; count < messagesInRound; count += 1) {
    createHmac("sha256", key).update(bytes).digest();
    JSON.parse(message);
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / messagesInRound;
}

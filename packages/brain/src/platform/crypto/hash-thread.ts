import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import { hashSync, type Options, verifySync } from "@node-rs/argon2";

export type HashTask =
  | { readonly kind: "hash"; readonly password: string; readonly options: Options }
  | { readonly kind: "verify"; readonly password: string; readonly stored: string };

export interface HashReply {
  readonly id: number;
  readonly value?: string | boolean;
  readonly error?: string;
}

/** Nice value on Linux (0 is normal, 19 lowest): a third of the processor time of others, so that sign-ins continue during a flood. */
const lowPriority = 5;

/** Hashes passwords one after another at low priority, because a hash keeps the processor busy for long. */
export function runHashes(): void {
  const port = parentPort;
  if (port === null) throw new Error("hashing runs only as a thread");
  lowerPriority();
  port.on("message", ({ id, task }: { id: number; task: HashTask }) => {
    const reply = (answer: Omit<HashReply, "id">) => port.postMessage({ id, ...answer });
    try {
      reply({ value: task.kind === "hash" ? hashSync(task.password, task.options) : fits(task) });
    } catch (error) {
      reply({ error: String(error) });
    }
  });
}

/** A stored text that is not a hash matches nothing. */
function fits({ stored, password }: Extract<HashTask, { kind: "verify" }>): boolean {
  try {
    return verifySync(stored, password);
  } catch {
    return false;
  }
}

/** Only Linux has priorities of threads. The threads that a hash starts for its lanes inherit the priority of this thread. */
function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync("/proc/thread-self"))), Math.max(lowPriority, getPriority()));
  } catch {}
}

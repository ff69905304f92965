import type { Command } from "@svc/agent";
import type { Redis } from "ioredis";
import type { Asked } from "../../control/ask.ts";
import type { ControlRequest } from "../../control/messages.ts";
import type { Settings } from "../../options.ts";
import type { QueueNames } from "../../redis/names.ts";
import type { Schedules } from "../../schedules/mirror.ts";
import type { Addresses } from "./addresses.ts";
import type { QueueAccess } from "./queue-access.ts";

/** The dependencies of command handlers. */
export interface CommandContext {
  readonly redis: Redis;
  readonly settings: Settings;
  readonly addresses: Addresses;
  readonly queues: QueueAccess;
  /** All queues known now. */
  knownQueues(): Promise<readonly QueueNames[]>;
  /** Asks the processes that run workers, while `isWaiting` returns true; default: until the command's time is over. */
  askProcesses(request: ControlRequest, prefixes: readonly string[], isWaiting?: () => boolean): Promise<Asked>;
  readonly schedules: Schedules;
  /** False shortly before the command's time is over: a handler that works in steps then stops. */
  hasTime(): boolean;
}

/** Resolves with the result of a success. Rejects with a Refusal that holds the reason. */
export type CommandHandler = (command: Command, context: CommandContext) => Promise<Readonly<Record<string, unknown>>>;

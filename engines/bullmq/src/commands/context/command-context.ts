import type { Command } from "@svc/agent";
import type { Redis } from "ioredis";
import type { Asked } from "../../control/ask.ts";
import type { ControlRequest } from "../../control/messages.ts";
import type { Settings } from "../../options.ts";
import type { QueueNames } from "../../redis/names.ts";
import type { TellSchedules } from "../schedules/stream.ts";
import type { Addresses } from "./addresses.ts";
import type { QueueAccess } from "./queue-access.ts";

/** What carrying out a command needs. */
export interface CommandContext {
  readonly redis: Redis;
  readonly settings: Settings;
  readonly addresses: Addresses;
  readonly queues: QueueAccess;
  /** Every queue that is known at the moment. */
  knownQueues(): Promise<readonly QueueNames[]>;
  /** Asks the processes that run workers, for as long as `isWaiting` says, else as there is time. */
  askProcesses(request: ControlRequest, prefixes: readonly string[], isWaiting?: () => boolean): Promise<Asked>;
  readonly tellSchedules: TellSchedules;
  /** False shortly before the command's time is over: what takes steps makes no further one. */
  hasTime(): boolean;
}

/** Gives the result of a success. Rejects with a Refusal that says why not. */
export type CommandHandler = (command: Command, context: CommandContext) => Promise<Readonly<Record<string, unknown>>>;

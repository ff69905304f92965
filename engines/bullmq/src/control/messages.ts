import { parseJson } from "@svc/protocol";

/**
 * Only the process that runs a worker can stop its job or change it. A request for that goes to all of them over one Redis channel for
 * each prefix; every process answers on a list that the request names. The list exists for as long as somebody waits for answers: a process that reads a
 * request late, because its job held its thread, finds no list and does nothing.
 */
export type ControlRequest = CancelRequest | WorkerRequest;

interface CancelRequest {
  readonly action: "cancel";
  readonly queue: string;
  readonly jobId: string;
}

export interface WorkerRequest {
  readonly action: "resize" | "restart" | "add_consumer" | "cancel_consumer";
  /** As `worker_details` names it. */
  readonly worker: string;
  /** Queue that a consumer is added for or cancelled. */
  readonly queue?: string;
  /** Slots to add, or to take away when it is negative. */
  readonly delta?: number;
}

export interface ControlMessage {
  readonly prefix: string;
  readonly replyKey: string;
  readonly request: ControlRequest;
}

/** What one process answers: whether the request concerned it, and why it could not do it. */
export interface ControlReply {
  /** Host and process, for an operator. */
  readonly from: string;
  readonly isConcerned: boolean;
  readonly error?: string;
}

/** First entry of a list of answers. */
export const askedMark = "asked";

/** Of a list whose asker is gone: somewhat more than the longest time of a command. */
export const replyExpiryMs = 2 * 3_600_000;

/** Channels are common to all databases of a Redis, unlike keys; so the channel of each database but the first names it. */
export function controlChannel(prefix: string, database = 0): string {
  return database === 0 ? `${prefix}:svc-control` : `${prefix}:svc-control:${database}`;
}

/** Undefined for a text of another form. */
export function readMessage(text: string): ControlMessage | undefined {
  const message = readObject(text) as Partial<ControlMessage> | undefined;
  const isWhole =
    typeof message?.prefix === "string" &&
    typeof message.replyKey === "string" &&
    message.replyKey.startsWith(`${message.prefix}:svc-reply:`) &&
    typeof message.request === "object" &&
    message.request !== null;
  return isWhole ? (message as ControlMessage) : undefined;
}

export function readReply(text: string): ControlReply | undefined {
  const reply = readObject(text) as Partial<ControlReply> | undefined;
  return typeof reply?.from === "string" && typeof reply.isConcerned === "boolean"
    ? (reply as ControlReply)
    : undefined;
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = parseJson(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

import { parseJson } from "@svc/protocol";

/**
 * Only the process that runs a worker can change it or stop its job. A request goes to all processes over one Redis channel per prefix;
 * each process answers on a list that the request names. The list exists only while the caller waits: a process that reads a request
 * late, because a job blocked its thread, finds no list and does nothing.
 */
export type ControlRequest = CancelRequest | WorkerRequest;

interface CancelRequest {
  readonly action: "cancel";
  readonly queue: string;
  readonly jobId: string;
}

export interface WorkerRequest {
  readonly action: "resize" | "restart" | "add_consumer" | "cancel_consumer";
  /** The name in `worker_details`. */
  readonly worker: string;
  /** The queue of the consumer to add or cancel. */
  readonly queue?: string;
  /** Slots to add, or to remove when negative. */
  readonly delta?: number;
}

export interface ControlMessage {
  readonly prefix: string;
  readonly replyKey: string;
  readonly request: ControlRequest;
}

/** The answer of one process: whether it has the worker or job, and why it failed. */
export interface ControlReply {
  /** Host and process id, for operators. */
  readonly from: string;
  readonly isConcerned: boolean;
  readonly error?: string;
}

/** First entry of a list of answers, which keeps the list in existence. */
export const askedMark = "asked";

/** For a list whose caller has ended: longer than the time limit of any command. */
export const replyExpiryMs = 2 * 3_600_000;

/** Unlike keys, channels are shared by all databases of a Redis, so every channel but the first database's includes the number. */
export function controlChannel(prefix: string, database = 0): string {
  return database === 0 ? `${prefix}:svc-control` : `${prefix}:svc-control:${database}`;
}

/** Undefined for a message of another form. */
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

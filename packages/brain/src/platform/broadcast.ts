import { randomUUID } from "node:crypto";
import type { Database, ListenOptions } from "./database/database.ts";

export interface BroadcastDeps {
  readonly database: Pick<Database<never>, "isShared" | "notify" | "listen">;
  /** Receives why messages were lost, once for each attempt to send. */
  readonly onError: (error: Error) => void;
}

/** A notification holds 7900 bytes; the envelope takes the rest. */
const maxBytes = 7800;
const maxWaiting = 10_000;

/**
 * Messages from this process to the others on its database. A process never receives its own: the sender applies a change before it
 * sends. Messages that arrive while a notification is in flight are batched into the next one, and a single one is not delayed. Any may be
 * lost, so every consumer also reads the database at intervals or has an `onGap`.
 */
export class Broadcast<Message> {
  readonly #deps: BroadcastDeps;
  readonly #channel: string;
  readonly #sender = randomUUID();
  #waiting: string[] = [];
  #dropped = 0;
  #current: Promise<unknown> = Promise.resolve();
  #next: Promise<boolean> | null = null;
  #stopListening: (() => Promise<void>) | null = null;

  constructor(deps: BroadcastDeps, channel: string) {
    this.#deps = deps;
    this.#channel = channel;
  }

  /** Sends to the other processes, of which the embedded database has none. Never rejects; false when some may have been lost. */
  send(messages: readonly Message[]): Promise<boolean> {
    if (!this.#deps.database.isShared || messages.length === 0) return Promise.resolve(true);
    if (this.#waiting.length + messages.length > maxWaiting) {
      this.#dropped += messages.length;
      return Promise.resolve(false);
    }
    for (const message of messages) this.#waiting.push(JSON.stringify(message));
    this.#next ??= this.#current.then(() => {
      this.#next = null;
      const sending = this.#sendWaiting();
      this.#current = sending;
      return sending;
    });
    return this.#next;
  }

  /**
   * Calls `handler` for each message of another process, and `onGap` when listening resumes after messages may have been lost.
   */
  async listen(handler: (message: Message) => void, options: ListenOptions = {}): Promise<void> {
    if (!this.#deps.database.isShared) return;
    const received = (payload: string): void => {
      const { from, messages } = JSON.parse(payload) as { from: string; messages: Message[] };
      if (from === this.#sender) return;
      for (const message of messages) handler(message);
    };
    this.#stopListening = await this.#deps.database.listen(this.#channel, received, options);
  }

  /** Waits for what is being sent, and stops listening. */
  async stop(): Promise<void> {
    await (this.#next ?? this.#current);
    await this.#stopListening?.();
  }

  async #sendWaiting(): Promise<boolean> {
    const messages = this.#waiting;
    const dropped = this.#dropped;
    this.#waiting = [];
    this.#dropped = 0;
    if (dropped > 0) this.#lost(`messages dropped: ${dropped} (at most ${maxWaiting} wait)`);
    try {
      for (const part of withinBytes(messages)) {
        await this.#deps.database.notify(this.#channel, `{"from":"${this.#sender}","messages":[${part}]}`);
      }
      return true;
    } catch (error) {
      this.#lost((error as Error).message, error);
      return false;
    }
  }

  #lost(reason: string, cause?: unknown): void {
    this.#deps.onError(new Error(`other processes were not notified on ${this.#channel}: ${reason}`, { cause }));
  }
}

/** JSON texts joined to parts of one notification each. */
function* withinBytes(messages: readonly string[]): Generator<string> {
  let part = "";
  let bytes = 0;
  for (const message of messages) {
    const own = Buffer.byteLength(message) + 1;
    if (part !== "" && bytes + own > maxBytes) {
      yield part;
      part = "";
      bytes = 0;
    }
    part = part === "" ? message : `${part},${message}`;
    bytes += own;
  }
  if (part !== "") yield part;
}

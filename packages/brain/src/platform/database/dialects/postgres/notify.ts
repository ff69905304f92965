import pg from "pg";
import type { ListenOptions } from "../../database.ts";
import { dedicatedConnection } from "./pool.ts";

interface Consumer {
  readonly handler: (payload: string) => void;
  readonly onGap: (() => void) | undefined;
}

/**
 * One dedicated connection that listens on every channel of this process and reconnects automatically. Notifications sent while it was
 * disconnected are lost: consumers are notified of such a gap, or re-check periodically.
 */
export class Listener {
  readonly #config: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  readonly #consumers = new Map<string, Set<Consumer>>();
  #client: pg.Client | null = null;
  #connecting: Promise<void> | null = null;
  #lastListen: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Whether notifications may have been missed. */
  #hasGap = false;
  #retryTimer: NodeJS.Timeout | null = null;

  constructor(config: pg.ClientConfig, onError: (error: Error) => void) {
    this.#config = config;
    this.#onError = onError;
  }

  async listen(
    channel: string,
    handler: (payload: string) => void,
    { onGap }: ListenOptions = {},
  ): Promise<() => Promise<void>> {
    const known = this.#consumers.get(channel);
    const consumers = known ?? new Set();
    const consumer: Consumer = { handler, onGap };
    consumers.add(consumer);
    if (known === undefined) {
      this.#consumers.set(channel, consumers);
      if (this.#client === null) await this.#ensureConnected();
      else await this.#listenOn(this.#client, channel);
    }
    return async () => {
      consumers.delete(consumer);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    await this.#connecting;
    await this.#client?.end();
  }

  /** Any user of the database can send a payload, so an error in a consumer must not end the process. */
  #guarded(channel: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      const reason = (cause as Error).message;
      this.#onError(new Error(`a notification on ${channel} could not be handled: ${reason}`, { cause }));
    }
  }

  #reportGap(): void {
    if (!this.#hasGap) return;
    this.#hasGap = false;
    for (const [channel, consumers] of this.#consumers) {
      for (const { onGap } of consumers) this.#guarded(channel, () => onGap?.());
    }
  }

  async #connect(): Promise<void> {
    const next = new pg.Client({ ...this.#config, ...dedicatedConnection });
    const lost = () => {
      if (this.#client !== next && this.#client !== null) return;
      this.#client = null;
      this.#hasGap = true;
      this.#scheduleReconnect();
    };
    next.on("error", (error) => {
      this.#onError(error);
      lost();
    });
    next.on("end", lost);
    next.on("notification", ({ channel, payload }) => {
      for (const { handler } of this.#consumers.get(channel) ?? []) {
        this.#guarded(channel, () => handler(payload ?? ""));
      }
    });
    try {
      await next.connect();
      this.#client = next;
      for (const channel of this.#consumers.keys()) await this.#listenOn(next, channel);
    } catch (error) {
      lost();
      next.end().catch(() => {});
      throw error;
    }
    this.#reportGap();
  }

  /** One statement at a time: the driver does not queue them. */
  #listenOn(client: pg.Client, channel: string): Promise<unknown> {
    const statement = () => client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    this.#lastListen = this.#lastListen.then(statement, statement);
    return this.#lastListen;
  }

  #ensureConnected(): Promise<void> {
    if (this.#client !== null || this.#isClosed) return Promise.resolve();
    this.#connecting ??= this.#connect()
      .catch(this.#onError)
      .finally(() => {
        this.#connecting = null;
      });
    return this.#connecting;
  }

  #scheduleReconnect(): void {
    if (this.#isClosed || this.#retryTimer !== null) return;
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null;
      void this.#ensureConnected();
    }, 1000);
    this.#retryTimer.unref();
  }
}

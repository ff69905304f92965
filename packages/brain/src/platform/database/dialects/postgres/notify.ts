import pg from "pg";
import type { ListenOptions } from "../../database.ts";
import { dedicatedConnection } from "./pool.ts";

interface Consumer {
  readonly handler: (payload: string) => void;
  readonly onGap: (() => void) | undefined;
}

/**
 * One dedicated connection that listens for every channel of this process and comes back by itself. What was sent while it was away
 * is lost: consumers are told of such a gap, or have a slow re-check of their own.
 */
export function createListener(config: pg.ClientConfig, onError: (error: Error) => void) {
  const handlers = new Map<string, Set<Consumer>>();
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let isClosed = false;
  /** Whether notifications may have been sent that nobody here heard. */
  let hasGap = false;
  let retryTimer: NodeJS.Timeout | null = null;

  /** A payload is what any user of the database may send: whatever a consumer makes of it, it must not end the process. */
  function guarded(channel: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      onError(new Error(`a notification on ${channel} could not be handled: ${(cause as Error).message}`, { cause }));
    }
  }

  function tellOfGap(): void {
    if (!hasGap) return;
    hasGap = false;
    for (const [channel, consumers] of handlers) {
      for (const { onGap } of consumers) guarded(channel, () => onGap?.());
    }
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...config, ...dedicatedConnection });
    const lost = () => {
      if (client !== next && client !== null) return;
      client = null;
      hasGap = true;
      scheduleReconnect();
    };
    next.on("error", (error) => {
      onError(error);
      lost();
    });
    next.on("end", lost);
    next.on("notification", ({ channel, payload }) => {
      for (const { handler } of handlers.get(channel) ?? []) guarded(channel, () => handler(payload ?? ""));
    });
    try {
      await next.connect();
      client = next;
      for (const channel of handlers.keys()) await listenOn(next, channel);
    } catch (error) {
      lost();
      next.end().catch(() => {});
      throw error;
    }
    tellOfGap();
  }

  let lastListen: Promise<unknown> = Promise.resolve();

  /** One statement at a time: the driver does not queue them. */
  function listenOn(target: pg.Client, channel: string): Promise<unknown> {
    const statement = () => target.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    lastListen = lastListen.then(statement, statement);
    return lastListen;
  }

  function ensureConnected(): Promise<void> {
    if (client !== null || isClosed) return Promise.resolve();
    connecting ??= connect()
      .catch(onError)
      .finally(() => {
        connecting = null;
      });
    return connecting;
  }

  function scheduleReconnect(): void {
    if (isClosed || retryTimer !== null) return;
    retryTimer = setTimeout(() => {
      retryTimer = null;
      void ensureConnected();
    }, 1000);
    retryTimer.unref();
  }

  return {
    async listen(
      channel: string,
      handler: (payload: string) => void,
      { onGap }: ListenOptions = {},
    ): Promise<() => Promise<void>> {
      const known = handlers.get(channel);
      const set = known ?? new Set();
      const consumer: Consumer = { handler, onGap };
      set.add(consumer);
      if (known === undefined) {
        handlers.set(channel, set);
        if (client === null) await ensureConnected();
        else await listenOn(client, channel);
      }
      return async () => {
        set.delete(consumer);
      };
    },
    async close(): Promise<void> {
      isClosed = true;
      if (retryTimer !== null) clearTimeout(retryTimer);
      await connecting;
      await client?.end();
    },
  };
}

import pg from "pg";

/**
 * One dedicated connection that listens for every channel of this process and comes back by itself. What was sent while it was away
 * is lost: every consumer has a slow re-check of its own.
 */
export function createListener(config: pg.ClientConfig, onError: (error: Error) => void) {
  const handlers = new Map<string, Set<(payload: string) => void>>();
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let isClosed = false;
  let retryTimer: NodeJS.Timeout | null = null;

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...config, options: "-c timezone=UTC" });
    const lost = () => {
      if (client !== next && client !== null) return;
      client = null;
      scheduleReconnect();
    };
    next.on("error", (error) => {
      onError(error);
      lost();
    });
    next.on("end", lost);
    next.on("notification", ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? "");
    });
    await next.connect();
    client = next;
    for (const channel of handlers.keys()) await listenOn(next, channel);
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
      .catch((error: Error) => {
        onError(error);
        scheduleReconnect();
      })
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
    async listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>> {
      const known = handlers.get(channel);
      const set = known ?? new Set();
      set.add(handler);
      if (known === undefined) {
        handlers.set(channel, set);
        if (client === null) await ensureConnected();
        else await listenOn(client, channel);
      }
      return async () => {
        set.delete(handler);
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

import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Tables } from "../../schema/tables/index.ts";

export interface AnnouncerDeps {
  readonly database: Pick<Database<Tables>, "isShared" | "listen" | "notify">;
  readonly log: Log;
  /** Names this process among the replicas. */
  readonly processId: string;
}

/** Items of one notification, which holds 7900 bytes, and of those that wait for the one under way. */
const itemsPerMessage = 40;
const maxWaiting = 10_000;

/**
 * Tells the other processes on the server database. What comes while a notification is under way goes out in the next one, so that many at
 * once become few and a single one is not delayed. Words may be lost: whoever listens looks at the database at intervals as well.
 */
export function createAnnouncer<Item>({ database, log, processId }: AnnouncerDeps, channel: string) {
  let waiting: Item[] = [];
  let isSending = false;
  let stopListening: (() => Promise<void>) | null = null;
  const isAlone = !database.isShared;

  async function send(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      const items = waiting.splice(0, itemsPerMessage);
      try {
        await database.notify(channel, JSON.stringify({ from: processId, items }));
      } catch (error) {
        waiting = [];
        log.warn("commands.announce_failed", { channel, message: (error as Error).message });
      }
    }
    isSending = false;
  }

  return {
    /** Never throws, never waits. */
    tell(items: readonly Item[]): void {
      if (isAlone || items.length === 0) return;
      if (waiting.length + items.length <= maxWaiting) waiting.push(...items);
      if (!isSending) void send();
    },
    /** Calls `heard` for what other processes tell. */
    async listen(heard: (item: Item) => void, options: { readonly onGap?: () => void } = {}): Promise<void> {
      if (isAlone) return;
      stopListening = await database.listen(
        channel,
        (payload) => {
          const { from, items } = JSON.parse(payload) as { from: string; items: Item[] };
          if (from !== processId) for (const item of items) heard(item);
        },
        options,
      );
    },
    async stop(): Promise<void> {
      await stopListening?.();
    },
  };
}

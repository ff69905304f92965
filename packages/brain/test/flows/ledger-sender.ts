import { randomUUID } from "node:crypto";
import type { EventRecord } from "@svc/protocol";
import { connectRaw, type RawAgent, type RawCredentials, rawEvents, rawHello } from "@svc/testkit/raw-agent";

const eventsPerBatch = 20;
const batchesInFlight = 8;

interface Batch {
  readonly events: readonly EventRecord[];
  frameId: string;
}

/**
 * Sends batches continuously, keeps each until its acknowledgement, and after a lost connection sends open batches again with new
 * signatures, as an agent does. The ledger records what the brain has promised to keep.
 */
export function createLedgerSender(credentials: RawCredentials, name: string) {
  const acknowledged: string[] = [];
  const open: Batch[] = [];
  let agent: RawAgent | null = null;
  let isClosing = false;
  let counter = 0;

  function transmit(to: RawAgent, batch: Batch): void {
    batch.frameId = `ev_${randomUUID().slice(0, 12)}`;
    to.sendEvents(batch.events, batch.frameId);
  }

  function fill(to: RawAgent): void {
    while (!isClosing && open.length < batchesInFlight && to.socket.readyState === to.socket.OPEN) {
      counter += 1;
      const batch = { events: rawEvents(eventsPerBatch, `${name}-${counter}`), frameId: "" };
      open.push(batch);
      transmit(to, batch);
    }
  }

  function settle(to: RawAgent): void {
    for (const { acked_id } of to.acks().splice(0)) {
      const index = open.findIndex(({ frameId }) => frameId === acked_id);
      if (index < 0) continue;
      const [done] = open.splice(index, 1);
      acknowledged.push(...(done as Batch).events.map(({ id }) => id as string));
    }
    to.frames.length = 0;
    fill(to);
  }

  return {
    acknowledged,
    open: () => open.length,
    /** Connects, sends open batches again, then new batches until the connection is lost. */
    async connect(): Promise<void> {
      const connected = await connectRaw(credentials, { hello: rawHello({ worker_id: name }) });
      agent = connected;
      connected.socket.on("error", () => {});
      connected.socket.on("message", () => settle(connected));
      for (const batch of open) transmit(connected, batch);
      fill(connected);
    },
    /** Sends no new batches, but still waits for open ones. */
    finish(): void {
      isClosing = true;
    },
    lost: () => agent?.closed,
    close: () => agent?.close(),
  };
}

export type LedgerSender = ReturnType<typeof createLedgerSender>;

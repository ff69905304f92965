import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type TransferListItem,
  workerData,
} from "node:worker_threads";
import type { ThreadReply } from "./messages.ts";

/** A port of the thread, and a count of its replies that the asking side can wait for. */
interface ThreadEnd {
  readonly port: MessagePort;
  readonly replies: Int32Array<SharedArrayBuffer>;
}

/**
 * The requesting side of a link to a thread. Replies are messages; `wait` blocks this thread for at most `ms` until `isDone`, handling
 * messages as they arrive.
 */
export function createThreadLink(onReply: (reply: ThreadReply) => void) {
  const { port1, port2 } = new MessageChannel();
  const replies = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  port1.on("message", onReply);
  // The thread keeps the process running, not the link.
  port1.unref();

  function drain(): void {
    for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1))
      onReply(next.message as ThreadReply);
  }

  return {
    /** For the thread: to be given to it as `workerData.link`, with its port transferred. */
    end: { port: port2, replies } satisfies ThreadEnd,
    transferList: [port2] as TransferListItem[],
    send: (request: unknown) => port1.postMessage(request),
    wait(isDone: () => boolean, ms: number): void {
      const untilMs = performance.now() + ms;
      for (;;) {
        const seen = Atomics.load(replies, 0);
        drain();
        const leftMs = untilMs - performance.now();
        if (isDone() || leftMs <= 0) return;
        Atomics.wait(replies, 0, seen, leftMs);
      }
    },
    /** Handles what was sent before the thread ended, and ends the link. */
    close(): void {
      drain();
      port1.close();
    },
  };
}

/** The thread's side. `ask` is called for each request, until `close`. */
export function joinThreadLink<Request>(ask: (request: Request) => void) {
  const { port, replies } = (workerData as { link: ThreadEnd }).link;
  port.on("message", ask);
  return {
    reply(message: ThreadReply): void {
      port.postMessage(message);
      Atomics.add(replies, 0, 1);
      Atomics.notify(replies, 0);
    },
    close: () => port.close(),
  };
}

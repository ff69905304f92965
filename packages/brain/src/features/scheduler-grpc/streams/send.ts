import type { Writable } from "node:stream";
import type { SnapshotFrame, WatchFrame } from "@svc/protocol";
import { CallStatus } from "../access/refusal.ts";
import { statusCodes } from "../status-codes.ts";

/** How long a client may accept nothing while frames wait for it: a snapshot occupies a connection of the database. */
const stalledMs = 30_000;

type Stream = Pick<Writable, "write" | "once" | "off" | "destroyed"> & { readonly cancelled: boolean };

/** The client has ended the stream. */
export class StreamClosed extends Error {}

/**
 * Sends a frame, and waits while the client has not accepted earlier ones, so that no more than a few frames are held.
 *
 * @throws StreamClosed; CallStatus `ABORTED` when the client accepts nothing for 30 s.
 */
export async function send(call: Stream, frame: SnapshotFrame | WatchFrame, limitMs = stalledMs): Promise<void> {
  if (call.cancelled || call.destroyed) throw new StreamClosed();
  if (call.write(frame)) return;
  const accepted = Promise.withResolvers<void>();
  const closed = () => accepted.reject(new StreamClosed());
  const timeout = setTimeout(
    () => accepted.reject(new CallStatus(statusCodes.ABORTED, "the client accepts no frames")),
    limitMs,
  );
  call.once("drain", accepted.resolve);
  call.once("close", closed);
  call.once("cancelled", closed);
  try {
    await accepted.promise;
  } finally {
    clearTimeout(timeout);
    call.off("drain", accepted.resolve);
    call.off("close", closed);
    call.off("cancelled", closed);
  }
}

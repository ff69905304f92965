import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { statusCodes } from "../status-codes.ts";
import { StreamClosed, send } from "./send.ts";

/** A stream whose client accepts a frame when the test says so. */
function streamOf() {
  const accepts: (() => void)[] = [];
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 2,
    write: (_frame, _encoding, accepted) => void accepts.push(accepted),
  });
  return { call: Object.assign(stream, { cancelled: false }), accept: () => accepts.shift()?.() };
}

const frame = { gap: {} };

describe("a frame", () => {
  test("does not wait while few are on their way, and then until they are accepted", async () => {
    const { call, accept } = streamOf();
    await send(call, frame);
    const second = send(call, frame);
    expect(call.writableLength).toBe(2);
    const third = second.then(() => send(call, frame));
    accept();
    accept();
    await second;
    accept();
    await third;
  });

  test("is given up when the client leaves", async () => {
    const { call } = streamOf();
    await send(call, frame);
    const waiting = expect(send(call, frame)).rejects.toBeInstanceOf(StreamClosed);
    call.destroy();
    await waiting;
    await expect(send(call, frame)).rejects.toBeInstanceOf(StreamClosed);
    expect(call.listenerCount("drain")).toBe(0);
  });

  test("is given up when the client accepts nothing for too long", async () => {
    const { call } = streamOf();
    await send(call, frame);
    await expect(send(call, frame, 1)).rejects.toMatchObject({ code: statusCodes.ABORTED });
  });
});

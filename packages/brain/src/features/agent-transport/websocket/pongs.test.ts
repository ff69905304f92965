import { randomUUID } from "node:crypto";
import { createSigner, type SignedFrameType } from "@svc/protocol";
import { createFakeClock, waitFor } from "@svc/testkit";
import { rawHello } from "@svc/testkit/raw-agent";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import type { Log } from "../../../platform/log.ts";
import { createAgentLogs } from "../agent-logs.ts";
import type { FrameOutcome } from "../dispatch.ts";
import { Connection } from "./connection.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const identity = {
  agent_id: "11111111-2222-4333-8444-000000000001",
  project_id: "11111111-2222-4333-8444-000000000002",
  name: "agent",
  project_is_active: true,
};
const secret = new Uint8Array(32).fill(7);

/** A connection whose frames are stored when the test says so, and the pongs that it sent. */
function connect() {
  const clock = createFakeClock();
  const pongs: string[] = [];
  const storing: ((outcome: FrameOutcome) => void)[] = [];
  const socket = { OPEN: 1, readyState: 1, bufferedAmount: 0, pong: (data: Buffer) => pongs.push(data.toString()) };
  const connection = new Connection(
    {
      clock,
      agentLogs: createAgentLogs({ clock, log: silent }),
      dispatch: () => new Promise((resolve) => storing.push(resolve)),
      whenIngestHasCapacity: () => null,
      verified() {},
      takesAgain() {},
    },
    { socket: socket as unknown as WebSocket, identity, hello: rawHello({ engines: [], capabilities: {} }), secret },
  );
  const session = { agentId: identity.agent_id, projectId: identity.project_id, sessionId: connection.sessionId };
  const signer = createSigner({ secret, session, now: () => clock.now() });
  return {
    pongs,
    send: (type: SignedFrameType) =>
      connection.receive(Buffer.from(signer.sign(type, { status: "success" }, randomUUID()))),
    ping: (data: string) => connection.pinged(Buffer.from(data)),
    stored: (outcome: FrameOutcome = { kind: "confirmed" }) => storing.shift()?.(outcome),
    /** Lets everything happen that can. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    lastUnstoredMs: () => connection.lastUnstoredMs(),
  };
}

test("a ping is answered when the replies to commands before it are stored", async () => {
  const { pongs, send, ping, stored, settle } = connect();
  send("command_ack");
  send("command_result");
  ping("1");
  stored();
  await settle();
  expect(pongs).toEqual([]);

  stored();

  await waitFor(() => pongs.length > 0);
  expect(pongs).toEqual(["1"]);
});

test("of several pings that wait, the newest one is answered, with the replies before it", async () => {
  const { pongs, send, ping, stored, settle } = connect();
  send("command_result");
  ping("1");
  ping("2");
  send("command_result");
  ping("3");
  stored();
  await waitFor(() => pongs.length === 1);
  await settle();
  expect(pongs).toEqual(["1"]);

  stored();

  await waitFor(() => pongs.length === 2);
  expect(pongs).toEqual(["1", "3"]);
});

test("a ping does not wait for events, which have their own acknowledgement", async () => {
  const { pongs, send, ping } = connect();
  send("event_batch");
  ping("1");
  await waitFor(() => pongs.length > 0);
});

test("no ping is answered any more when a reply was not stored, since every pong would confirm it", async () => {
  const { pongs, send, ping, stored, settle, lastUnstoredMs } = connect();
  send("command_result");
  ping("1");
  stored({ kind: "transient", message: "the database is not available", isUnstored: true });
  await settle();
  ping("2");
  await settle();

  expect(pongs).toEqual([]);
  expect(lastUnstoredMs()).not.toBeNull();
});

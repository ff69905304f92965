import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import {
  ackIdOf,
  createReplayGuard,
  createSigner,
  createVerifier,
  encodeHelloAck,
  type Frame,
  parseHello,
  protocolVersion,
} from "@svc/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import { keep, type PeerCore, type PeerLine } from "./contract.ts";

/** `/ws/agent`: one hello, one hello_ack, then signed frames in both directions. */
export function serveWebSocket(server: Server, core: PeerCore, lines: PeerLine[]): void {
  const gateway = new WebSocketServer({ noServer: true, maxPayload: core.behaviour.maxMessageBytes });
  server.on("upgrade", (request, socket, head) => {
    const { answerStatus } = core.behaviour;
    if (request.url !== "/ws/agent" || answerStatus !== undefined) {
      socket.end(`HTTP/1.1 ${answerStatus ?? 404} Refused\r\nlocation: /ws/elsewhere\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    gateway.handleUpgrade(request, socket, head, (opened) => {
      core.record.connects += 1;
      opened.on("error", () => {}); // a message over the limit; ws closes with 1009
      const { refuseWith, answersHello } = core.behaviour;
      const isKnown = request.headers.authorization === `Bearer ${core.identity.token}`;
      if (refuseWith !== undefined) opened.close(refuseWith);
      else if (!isKnown) opened.close(4401);
      else if (answersHello) opened.once("message", (data: Buffer) => greet(opened, data, core, lines));
    });
  });
}

function greet(socket: WebSocket, message: Buffer, core: PeerCore, lines: PeerLine[]): void {
  const { identity, behaviour, record, now } = core;
  const hello = parseHello(message);
  if (!hello.ok) {
    socket.close(4400);
    return;
  }
  record.hellos.push(hello.payload);
  const session = { agentId: identity.agentId, projectId: identity.projectId, sessionId: randomUUID() };
  const signer = createSigner({ secret: identity.secret, session, now });
  const verifier = createVerifier({ secret: identity.secret, session });
  const guard = createReplayGuard({ now, monotonicMs: core.monotonicMs });
  const line: PeerLine = {
    send: (type, payload, id) => socket.send(signer.sign(type, payload, id)),
    sendText: (text) => socket.send(text),
    close: (code) => socket.close(code),
  };
  lines.push(line);
  socket.send(
    encodeHelloAck(
      {
        protocol_version: protocolVersion,
        brain_version: "1.0.0",
        agent_id: identity.agentId,
        project_id: identity.projectId,
        session_id: session.sessionId,
        heartbeat_interval_seconds: behaviour.heartbeatSeconds,
        max_frame_size_bytes: behaviour.maxFrameBytes,
      },
      now(),
    ),
  );
  socket.on("message", (data: Buffer) => {
    const opened = verifier.open(data);
    const verdict = opened.ok ? guard.admit(opened.frame) : opened.reason;
    if (!opened.ok || verdict !== "ok") {
      record.refusals.push(verdict);
      socket.close(4403);
      return;
    }
    if (keep(core, opened.frame) && opened.frame.type === "event_batch") acknowledge(line, opened.frame);
  });
}

function acknowledge(line: PeerLine, { id, payload }: Frame): void {
  const count = Array.isArray(payload?.events) ? payload.events.length : 0;
  line.send(
    "event_batch_ack",
    { acked_id: id, received: count, accepted: count, rejected: 0, errors: [] },
    ackIdOf(id),
  );
}

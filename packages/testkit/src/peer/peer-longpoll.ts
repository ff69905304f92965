import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createReplayGuard, createSigner, createVerifier, headerNames, type Signer } from "@svc/protocol";
import { keep, type PeerCore, type PeerLine } from "./contract.ts";

/** The state of one nonce: signer, verifier, and frames that wait for a poll. */
interface Session {
  readonly signer: Signer;
  readonly judge: (text: string) => string;
  readonly due: string[];
}

/** `POST /api/v1/agent/events` and `GET /api/v1/agent/commands`, with nonce sessions and invalidation. */
export function serveLongPoll(server: Server, core: PeerCore, lines: PeerLine[]): void {
  const { identity, behaviour, record } = core;
  const sessions = new Map<string, Session>();
  let isInvalidated = false;
  const wakes = new Set<() => void>();

  function open(nonce: string): Session {
    const session = { agentId: identity.agentId, projectId: identity.projectId, sessionId: nonce };
    const verifier = createVerifier({ secret: identity.secret, session });
    const guard = createReplayGuard({ now: core.now, monotonicMs: core.monotonicMs });
    const opened: Session = {
      signer: createSigner({ secret: identity.secret, session, now: core.now }),
      due: [],
      judge(text) {
        const judged = verifier.open(text);
        if (!judged.ok) return judged.reason;
        const verdict = guard.admit(judged.frame);
        if (verdict !== "ok") return verdict;
        return keep(core, judged.frame) ? "accepted" : "rejected";
      },
    };
    sessions.set(nonce, opened);
    return opened;
  }

  function invalidate(): void {
    isInvalidated = true;
    sessions.clear();
    for (const wake of wakes) wake();
  }

  async function poll(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    const nonce = String(request.headers[headerNames.sessionNonce] ?? "");
    record.pollHeaders = { ...request.headers };
    const isProbe = query.get("max_frames") === "0";
    if (isProbe) {
      record.connects += 1;
      isInvalidated = false;
      const { due, signer } = open(nonce);
      const queue = (text: string): void => {
        due.push(text);
        for (const wake of wakes) wake();
      };
      lines.push({
        send: (type, payload, id) => queue(signer.sign(type, payload, id)),
        sendText: queue,
        close: () => invalidate(),
      });
      answer(response, 200, { frames: [] });
      return;
    }
    const session = sessions.get(nonce) ?? open(nonce);
    if (!isInvalidated && session.due.length === 0) await nextWake(wakes, Number(query.get("wait")) * 1000, response);
    if (isInvalidated) refuse(response);
    else answer(response, 200, { frames: session.due.splice(0) });
  }

  async function upload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    if (isInvalidated) {
      refuse(response);
      return;
    }
    const frames = (JSON.parse(text) as { frames: string[] }).frames;
    const status = behaviour.uploadStatus?.(frames.length, Buffer.byteLength(text));
    if (status !== undefined) {
      answer(response, status, { error: "refused" });
      return;
    }
    record.uploadSizes.push(frames.length);
    const nonce = String(request.headers[headerNames.sessionNonce] ?? "");
    const session = sessions.get(nonce) ?? open(nonce);
    let accepted = 0;
    for (const frame of frames) {
      const verdict = session.judge(frame);
      if (verdict === "accepted") accepted += 1;
      else if (verdict !== "rejected") {
        record.refusals.push(verdict);
        invalidate();
        refuse(response);
        return;
      }
    }
    const rejected = frames.length - accepted;
    const errorCode = rejected > 0 ? (behaviour.errorCode ?? null) : null;
    answer(response, 200, { accepted, rejected, errors: [], error_code: errorCode });
  }

  function answer(response: ServerResponse, status: number, body: unknown): void {
    const headers = {
      "content-type": "application/json",
      [headerNames.agentId]: identity.agentId,
      [headerNames.projectId]: identity.projectId,
      [headerNames.longPollWorker]: "1",
      ...(status >= 300 && status < 400 ? { location: "/elsewhere" } : {}),
    };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }

  function refuse(response: ServerResponse): void {
    answer(response, 409, { error: "conflict", details: { reason: "session_invalidated" } });
  }

  server.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", "http://peer");
    const isKnown = request.headers.authorization === `Bearer ${identity.token}`;
    if (behaviour.answerStatus !== undefined) answer(response, behaviour.answerStatus, { error: "refused" });
    else if (!isKnown) answer(response, 401, { error: "unauthenticated" });
    else if (url.pathname === "/api/v1/agent/commands") void poll(request, response, url.searchParams);
    else if (url.pathname === "/api/v1/agent/events") void upload(request, response);
    else answer(response, 404, { error: "not_found" });
  });
}

function nextWake(wakes: Set<() => void>, waitMs: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      wakes.delete(done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    wakes.add(done);
    response.on("close", done);
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

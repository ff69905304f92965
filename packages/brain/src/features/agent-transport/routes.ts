import type {} from "@fastify/websocket";
import { headerNames } from "@svc/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { tooManyRequests } from "../../platform/http/access/access.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import { disconnectSignal } from "../../platform/http/connections/disconnect-signal.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { AgentIdentity } from "../agents/index.ts";
import type { Admit, Refusal } from "./admission.ts";
import { type Longpoll, sessionNonce } from "./longpoll/longpoll.ts";
import { readRetryEngines, readRuntimeFeatures } from "./longpoll/poll.ts";
import { createUploadLimiter, type UploadLimiter } from "./longpoll/upload-limiter.ts";
import { PollQuery, PollReply, UploadBody, UploadReply } from "./schemas.ts";
import type { Gateway } from "./websocket/gateway.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The agent behind the bearer token; only on the agent routes. */
    agentIdentity: AgentIdentity | null;
    /** The upload's permit from the limiter. */
    uploadPermit: UploadPermit | null;
  }
}

export interface LongpollRouteDeps {
  readonly admit: Admit;
  readonly longpoll: Longpoll;
  readonly maxBodyBytes: number;
  /** Id of this process, for X-SVC-LongPoll-Worker. */
  readonly workerId: string;
}

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(",") : value;
};

/** POST /agent/events and GET /agent/commands, under /api/v1. */
export const longpollRoutes: Routes<LongpollRouteDeps> = (app, { admit, longpoll, maxBodyBytes, workerId }) => {
  app.decorateRequest("agentIdentity", null);
  app.decorateRequest("uploadPermit", null);
  const uploads = createUploadLimiter({
    perAgent: uploadsPerAgent,
    bytesPerAgent: (uploadBodiesInMemory / 2) * maxBodyBytes,
    totalBytes: uploadBodiesInMemory * maxBodyBytes,
  });
  // On every answer, including refusals before the checks here.
  app.addHook("onSend", async (_request, reply) => {
    reply.header(headerNames.longPollWorker, workerId);
  });
  app.addHook("onRequest", async (request, reply) => {
    const admission = await admit({
      address: request.clientAddress,
      authorization: request.headers.authorization,
      path: request.routeOptions.url ?? "",
    });
    const identity = "refusal" in admission ? admittedIdentity(admission.refusal) : admission.identity;
    if (identity !== undefined) {
      reply.header(headerNames.agentId, identity.agent_id).header(headerNames.projectId, identity.project_id);
    }
    if ("refusal" in admission) throw refusalError(admission.refusal);
    request.agentIdentity = admission.identity;
    if (request.method === "POST") takePermit(request, reply, uploads, maxBodyBytes);
  });

  operation(app, "POST /agent/events", {
    operationId: "uploadFrames",
    summary: "Upload frames of an agent",
    description:
      "Stores signed frames of an agent that cannot hold a WebSocket. The agent may forget them only when `accepted` equals the number of frames sent; otherwise it sends the whole batch again. Repeated frames are absorbed.",
    takesHeaders: {
      "X-SVC-Session-Nonce": "Fresh random value of each connect. Without it the agent has one shared session.",
    },
    answers: {
      200: {
        headers: {
          "X-SVC-Agent-Id": "Agent id to sign frames with.",
          "X-SVC-Project-Id": "Project id to sign frames with.",
          "X-SVC-LongPoll-Worker": "Id of the process that answered.",
        },
      },
      409: "A frame failed its signature or replay check. The session ends; start a new one with a connect probe and a fresh nonce.",
      413: "The body is larger than `SVC_AGENT_MAX_BODY_BYTES`.",
    },
    body: UploadBody,
    response: { 200: UploadReply },
    bodyLimit: maxBodyBytes,
    policy: { tag: "agent-transport", selfGuarded: true, takesNul: true },
    handler: (request, reply) =>
      withPermit(request, async () => {
        const { frames } = request.body;
        requireFrameSizes(frames);
        const nonce = sessionNonce(header(request, headerNames.sessionNonce));
        return longpoll.upload(agentOf(request), nonce, frames, disconnectSignal(reply));
      }),
  });

  operation(app, "GET /agent/commands", {
    operationId: "pollCommands",
    summary: "Poll for commands",
    description:
      "Waits until commands for the agent are pending and claims them. With `wait=0` and `max_frames=0` it is the connect probe: it claims nothing and starts the session of its nonce.",
    takesHeaders: {
      "X-SVC-Session-Nonce": "Fresh random value of each connect. Without it the agent has one shared session.",
      "X-SVC-Runtime-Features": "Comma-separated feature names; read by the connect probe only.",
      "X-SVC-Retry-Contracts":
        "Comma-separated `engine=1` pairs: engines that can retry safely. Without it no retry is delivered.",
      "X-SVC-Retry-Resubmits": "Comma-separated `engine=1` pairs: engines that retry by submitting the task again.",
    },
    answers: {
      200: {
        headers: {
          "X-SVC-Agent-Id": "Agent id to sign frames with.",
          "X-SVC-Project-Id": "Project id to sign frames with.",
          "X-SVC-LongPoll-Worker": "Id of the process that answered.",
        },
      },
      409: "The session ended. Start a new one with a connect probe and a fresh nonce.",
    },
    querystring: PollQuery,
    response: { 200: PollReply },
    // A HEAD request has no response body, so the claimed commands would be lost.
    exposeHeadRoute: false,
    policy: { tag: "agent-transport", selfGuarded: true },
    handler: (request, reply) => {
      const { wait, max_frames } = request.query;
      const nonce = sessionNonce(header(request, headerNames.sessionNonce));
      if (wait === 0 && max_frames === 0) {
        return longpoll.probe(
          agentOf(request),
          nonce,
          readRuntimeFeatures(header(request, headerNames.runtimeFeatures)),
        );
      }
      return longpoll.poll(agentOf(request), nonce, {
        waitSeconds: wait,
        maxFrames: max_frames,
        reach: {
          retryContracts: readRetryEngines(header(request, headerNames.retryContracts)),
          resubmits: readRetryEngines(header(request, headerNames.retryResubmits)),
        },
        signal: disconnectSignal(reply),
      });
    },
  });
};

/** GET /ws/agent: the upgrade; every check and refusal follows it, as a close code. */
export const gatewayRoutes: Routes<{ gateway: Gateway }> = (app, { gateway }) => {
  app.get("/ws/agent", { websocket: true, config: { tag: "agent-transport", selfGuarded: true, hidden: true } }, ((
    socket: WebSocket,
    request: FastifyRequest,
  ) => {
    gateway.accept(socket, {
      address: request.clientAddress,
      authorization: request.headers.authorization,
      path: "/ws/agent",
    });
  }) as never);
};

/** An agent has 16 sessions with one upload in flight each, and may have abandoned as many. */
const uploadsPerAgent = 32;
/** Largest-size uploads that may be in memory together; one agent may hold half of them, so that it cannot block the others. */
const uploadBodiesInMemory = 4;

interface UploadPermit {
  release(): void;
  /** The body is complete: its frames stay in memory until they are answered, whether or not the client waits. */
  isInUse: boolean;
}

/** Takes a permit for an upload before its body is read. It is held until the client disconnects or, with a complete body, until `withPermit` ends. */
function takePermit(request: FastifyRequest, reply: FastifyReply, uploads: UploadLimiter, maxBodyBytes: number): void {
  const disconnected = disconnectSignal(reply);
  // The client disconnected before sending its body, so it never sees this answer.
  if (disconnected.aborted) throw new ApiError("unready");
  const announced = Number(request.headers["content-length"] ?? maxBodyBytes);
  const release = uploads.take(
    agentOf(request).agent_id,
    Math.min(Number.isFinite(announced) ? announced : maxBodyBytes, maxBodyBytes),
  );
  if (release === null) {
    throw new ApiError("unready", { reason: "uploads_full" }, { headers: { "retry-after": "1" } });
  }
  const permit: UploadPermit = { release, isInUse: false };
  request.uploadPermit = permit;
  disconnected.addEventListener("abort", () => {
    if (!permit.isInUse) release();
  });
}

async function withPermit<T>({ uploadPermit }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  if (uploadPermit === null) throw new Error("an upload began without a permit");
  uploadPermit.isInUse = true;
  try {
    return await work();
  } finally {
    uploadPermit.release();
  }
}

const maxFrameBytes = 1_048_576;

/** The schema counts characters, but the limit is in bytes. */
function requireFrameSizes(frames: readonly string[]): void {
  const index = frames.findIndex(
    (frame) => frame.length * 3 > maxFrameBytes && Buffer.byteLength(frame) > maxFrameBytes,
  );
  if (index >= 0) {
    throw invalid({ loc: ["body", "frames", index], type: "too_long", message: "must be 1 MiB or less" });
  }
}

function agentOf(request: FastifyRequest): AgentIdentity {
  if (request.agentIdentity === null) throw new Error("an agent route ran without its admission");
  return request.agentIdentity;
}

const admittedIdentity = (refusal: Refusal): AgentIdentity | undefined =>
  refusal.reason === "project_inactive" ? refusal.identity : undefined;

function refusalError(refusal: Refusal): ApiError {
  switch (refusal.reason) {
    case "rate_limited":
      return tooManyRequests("agent-connect", refusal.retryAfterSeconds);
    case "ip_denied":
      return new ApiError("ip_denied", { surface: "agent" });
    case "bad_token":
      return new ApiError("unauthenticated", {}, { detail: "invalid agent token" });
    case "project_inactive":
      return new ApiError("project_inactive");
  }
}

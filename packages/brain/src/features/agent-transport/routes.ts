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
    /** What an upload has taken of the limiter. */
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
  // On every answer, also of what is refused before our own checks.
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
          "X-SVC-Agent-Id": "Id that the agent signs frames with.",
          "X-SVC-Project-Id": "Project that the agent signs frames with.",
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
          "X-SVC-Agent-Id": "Id that the agent signs frames with.",
          "X-SVC-Project-Id": "Project that the agent signs frames with.",
          "X-SVC-LongPoll-Worker": "Id of the process that answered.",
        },
      },
      409: "The session ended. Start a new one with a connect probe and a fresh nonce.",
    },
    querystring: PollQuery,
    response: { 200: PollReply },
    // Its answer would have no body, and the claimed commands would be lost.
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

/** GET /ws/agent: the upgrade; every check and refusal comes after it, as a close code. */
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

/** An agent has sixteen sessions with one upload in flight each, and may have given up on as many (spec part 3, 1.6 and 1.12). */
const uploadsPerAgent = 32;
/** Uploads of the largest size that may be in memory together; half of them of one agent, so that none keeps the others out. */
const uploadBodiesInMemory = 4;

interface UploadPermit {
  giveBack(): void;
  /** The body is complete: its frames are in memory until they are answered for, whether or not the client waits for it. */
  isInUse: boolean;
}

/** Takes a permit for an upload before its body is read, until the client goes or, when the body came, until `withPermit` is done with it. */
function takePermit(request: FastifyRequest, reply: FastifyReply, uploads: UploadLimiter, maxBodyBytes: number): void {
  const disconnected = disconnectSignal(reply);
  // Its body will never come, and nobody receives this answer.
  if (disconnected.aborted) throw new ApiError("unready");
  const announced = Number(request.headers["content-length"] ?? maxBodyBytes);
  const giveBack = uploads.take(
    agentOf(request).agent_id,
    Math.min(Number.isFinite(announced) ? announced : maxBodyBytes, maxBodyBytes),
  );
  if (giveBack === null) {
    throw new ApiError("unready", { reason: "uploads_full" }, { headers: { "retry-after": "1" } });
  }
  const permit: UploadPermit = { giveBack, isInUse: false };
  request.uploadPermit = permit;
  disconnected.addEventListener("abort", () => {
    if (!permit.isInUse) giveBack();
  });
}

async function withPermit<T>({ uploadPermit }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  if (uploadPermit === null) throw new Error("an upload began without a permit");
  uploadPermit.isInUse = true;
  try {
    return await work();
  } finally {
    uploadPermit.giveBack();
  }
}

const maxFrameBytes = 1_048_576;

/** The schema counts characters; the limit is bytes. */
function requireFrameSizes(frames: readonly string[]): void {
  const index = frames.findIndex(
    (frame) => frame.length * 3 > maxFrameBytes && Buffer.byteLength(frame) > maxFrameBytes,
  );
  if (index >= 0) {
    throw invalid({ loc: ["body", "frames", index], type: "too_long", message: "a frame is at most 1 MiB" });
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

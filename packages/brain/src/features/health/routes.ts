import { equalSecrets } from "@svc/protocol";
import type { FastifyRequest } from "fastify";
import { bearerOf } from "../../platform/http/access/access.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { envelopeOf } from "../../platform/http/error-handler.ts";
import type { Metrics } from "../../platform/metrics.ts";
import type { Health } from "./health.ts";
import { DeepAnswer, HealthAnswer, ReadyAnswer, SystemAnswer, UnreadyAnswer } from "./schemas.ts";

export interface HealthRouteDeps {
  readonly health: Health;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly settings: {
    readonly SVC_METRICS_ENABLED: boolean;
    readonly SVC_METRICS_AUTH_TOKEN?: string | undefined;
    readonly SVC_METRICS_PUBLIC: boolean;
  };
}

/** The health routes and /metrics; mounted at the root and under /api/v1. */
export const healthRoutes: Routes<HealthRouteDeps> = (app, { health, metrics, settings }) => {
  operation(app, "GET /health", {
    operationId: "getHealth",
    summary: "Check that the process runs",
    description: "Answers as long as the process runs. Also served at `/health`.",
    response: { 200: HealthAnswer },
    policy: { tag: "health", public: true },
    handler: () => ({ status: "ok" }) as const,
  });

  operation(app, "GET /health/ready", {
    operationId: "getReadiness",
    summary: "Check that the service is ready",
    description:
      "Answers 200 when the service can serve requests, otherwise 503 with the reason. Also served at `/health/ready`.",
    answers: { 503: "The service is not ready, for the given `reason`. There is no `Retry-After`." },
    response: { 200: ReadyAnswer, 503: UnreadyAnswer },
    policy: { tag: "health", public: true },
    handler: async (request, reply) => {
      const readiness = await health.readiness();
      if (readiness.isReady) return { status: "ready" } as const;
      const { reason } = readiness;
      const body = {
        ...envelopeOf(new ApiError("unready", { reason }), request.id),
        status: "unready" as const,
        reason,
      };
      return reply.code(503).send(body);
    },
  });

  operation(app, "GET /health/system", {
    operationId: "getSystem",
    summary: "Get facts about the system",
    description: "Returns versions of the service, its runtime, its database and its packages.",
    response: { 200: SystemAnswer },
    policy: { tag: "system-health" },
    handler: () => health.system(),
  });

  operation(app, "GET /health/deep", {
    operationId: "getDeepHealth",
    summary: "Run all health checks",
    description: "Runs every health check and returns the results. The status is the worst of the checks.",
    answers: { 503: "A check failed. The body has the results of all checks." },
    response: { 200: DeepAnswer, 503: DeepAnswer },
    policy: { tag: "system-health" },
    handler: async (_request, reply) => {
      const answer = await health.deep();
      return reply.code(answer.status === "failed" ? 503 : 200).send(answer);
    },
  });

  app.get("/metrics", { config: { tag: "metrics", public: true, hidden: true } }, async (request, reply) => {
    if (!settings.SVC_METRICS_ENABLED) throw new ApiError("not_found");
    if (!settings.SVC_METRICS_PUBLIC) requireToken(request, settings.SVC_METRICS_AUTH_TOKEN);
    return reply.type(metrics.contentType).send(await metrics.text());
  });
};

/** @throws ApiError `unauthenticated`, also when no token is set. */
function requireToken(request: FastifyRequest, token: string | undefined): void {
  const presented = bearerOf(request);
  if (token === undefined || presented === null || !equalSecrets(presented, token)) {
    throw new ApiError("unauthenticated", {}, { headers: { "www-authenticate": "Bearer" } });
  }
}

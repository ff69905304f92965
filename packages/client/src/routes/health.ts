import type { CallOptions, Send } from "../request.ts";
import type { DeepHealth, SystemFacts } from "../types/health.ts";

export function healthRoutes(send: Send) {
  return {
    getSystem: (call?: CallOptions) => send<SystemFacts>("GET", "/health/system", call),
    /** Whether a check failed or not, the answer is what the checks say. */
    getDeepHealth: (call?: CallOptions) =>
      send<DeepHealth>("GET", "/health/deep", { ...call, answersWith: { status: 503, member: "checks" } }),
  };
}

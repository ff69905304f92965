import type { CallOptions, Send } from "../request.ts";
import type { DeepHealth, InstanceSettings, KnownVersions, SystemFacts } from "../types/api.generated.ts";

export function adminRoutes(send: Send) {
  return {
    getSettings: (call?: CallOptions) => send<InstanceSettings>("GET", "/admin/settings", call),
    /** The newest versions known so far; nobody is asked for them. */
    getKnownVersions: (call?: CallOptions) => send<KnownVersions>("GET", "/admin/system/versions", call),
    /** Has the server ask the configured URL once. */
    checkVersions: (call?: CallOptions) => send<KnownVersions>("POST", "/admin/system/versions/check", call),
  };
}

export function healthRoutes(send: Send) {
  return {
    getSystem: (call?: CallOptions) => send<SystemFacts>("GET", "/health/system", call),
    /** Whether a check failed or not, the answer is what the checks say. */
    getDeepHealth: (call?: CallOptions) =>
      send<DeepHealth>("GET", "/health/deep", { ...call, answersWith: { status: 503, member: "checks" } }),
  };
}

import type { CallOptions, Send } from "../request.ts";
import type { InstanceSettings, KnownVersions } from "../types/admin.ts";

export function adminRoutes(send: Send) {
  return {
    getSettings: (call?: CallOptions) => send<InstanceSettings>("GET", "/admin/settings", call),
    /** The newest versions known so far; nobody is asked for them. */
    getKnownVersions: (call?: CallOptions) => send<KnownVersions>("GET", "/admin/system/versions", call),
    /** Has the server ask the configured URL once. */
    checkVersions: (call?: CallOptions) => send<KnownVersions>("POST", "/admin/system/versions/check", call),
  };
}

import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { ApiKey, ApiKeyMint, MintedKey, ScopeCatalogue } from "../types/api-keys.ts";

export function apiKeyRoutes(send: Send) {
  return {
    /** The caller's keys that work, newest first. */
    listApiKeys: (call?: CallOptions) => send<ApiKey[]>("GET", "/api-keys", call),
    mintApiKey: (body: ApiKeyMint, call?: CallOptions) => send<MintedKey>("POST", "/api-keys", { ...call, body }),
    listScopes: (call?: CallOptions) => send<ScopeCatalogue>("GET", "/api-keys/scopes", call),
    /** Replaces the key's ranges; null or none lets every address in. */
    changeApiKey: (keyId: string, body: { allowed_cidrs: readonly string[] | null }, call?: CallOptions) =>
      send<ApiKey>("PATCH", pathOf`/api-keys/${keyId}`, { ...call, body }),
    revokeApiKey: (keyId: string, call?: CallOptions) => send<void>("DELETE", pathOf`/api-keys/${keyId}`, call),
  };
}

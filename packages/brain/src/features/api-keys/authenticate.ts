import { apiKeyPrefix, tokenLabels } from "@svc/protocol";
import { createSharedLookUp } from "../../platform/coalescing/shared-look-up.ts";
import { candidateDigests } from "../../platform/crypto/digests.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { prepareRead } from "../../platform/database/prepared-read.ts";
import { minutes } from "../../platform/durations.ts";
import type { ApiKeyActor, CredentialContext } from "../../platform/http/access/actor.ts";
import type { Core } from "../../schema/tables/index.ts";
import { keysOfDigests, touchKey } from "./store.ts";

export interface AuthenticateDeps extends Core {
  readonly masters: Keyring;
  /** Called when a last use could not be written; the request continues. */
  readonly onError: (error: unknown) => void;
}

/** Prefix and 32 bytes as unpadded base64url: a token of another length was never issued. */
const tokenChars = apiKeyPrefix.length + 43;
/** Minimum interval between writes of last_used_at, per key. */
const touchEveryMs = minutes(1);

/**
 * Returns the key of a bearer token; null for any invalid token, whatever the reason. Key and owner are read on every request, so that a
 * revoked key, a demoted owner or an inactive owner takes effect immediately in every process.
 */
export function createKeyAuthenticator({ database, clock, masters }: AuthenticateDeps) {
  const count = masters.all.length;
  const findOne = prepareRead(database, `api_key_of_${count}_digests`, {
    count,
    build: (digests) => keysOfDigests(database.read, digests),
  });
  const lookUp = createSharedLookUp(async (digests) => {
    const isOne = digests.length === count;
    const rows = isOne ? await findOne(digests) : await keysOfDigests(database.read, digests).execute();
    return new Map(rows.map((row) => [row.token_hash, row]));
  });
  return async function authenticate(token: string): Promise<ApiKeyActor | null> {
    if (token.length !== tokenChars || !token.startsWith(apiKeyPrefix)) return null;
    const row = await lookUp(candidateDigests(masters, tokenLabels.apiKey, token));
    if (row === undefined || (row.expires_at !== null && row.expires_at <= clock.now())) return null;
    return {
      kind: "api_key",
      user: { id: row.user_id, email: row.email, display_name: row.display_name, is_admin: row.is_admin },
      keyId: row.id,
      scopes: JSON.parse(row.scopes) as string[],
      projectId: row.project_id,
      allowedCidrs: row.allowed_cidrs === null ? null : (JSON.parse(row.allowed_cidrs) as string[]),
      lastUsedAt: row.last_used_at,
    };
  };
}

/** Writes when and from where a key was last used, sampled. Not awaited: the answer does not depend on it. */
export function createUseSampler({ database, clock, onError }: AuthenticateDeps) {
  const touching = new Set<string>();
  return function used({ keyId: id, lastUsedAt }: ApiKeyActor, { address }: CredentialContext): void {
    const now = clock.now();
    const before = new Date(now.getTime() - touchEveryMs);
    if ((lastUsedAt !== null && lastUsedAt > before) || touching.has(id)) return;
    touching.add(id);
    database
      .write((tx) => touchKey(tx, { id, address, now, before }))
      .catch(onError)
      .finally(() => touching.delete(id));
  };
}

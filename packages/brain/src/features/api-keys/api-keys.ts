import type { Authenticator, SessionActor } from "../../platform/http/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { scopes } from "../../platform/http/scopes.ts";
import type { AuditEntry, AuditOrigin } from "../audit/index.ts";
import { type AuthenticateDeps, createKeyAuthenticator, createUseSampler } from "./authenticate.ts";
import { type MintDeps, mintKey } from "./mint.ts";
import { adminOnlyScopes, canonicalCidrs } from "./rules.ts";
import type { ApiKey, MintBody, MintedKey } from "./schemas.ts";
import { changeKey, findKey, listKeys, type ShownKey } from "./store.ts";

export interface ApiKeysDeps extends AuthenticateDeps, MintDeps {
  readonly database: MintDeps["database"];
}

interface OwnKey {
  readonly actor: SessionActor;
  readonly id: string;
  readonly origin: AuditOrigin;
}

export interface ApiKeys extends Required<Pick<Authenticator, "apiKey" | "apiKeyUsed">> {
  /** The caller's keys that still work, newest first. */
  list(actor: SessionActor): Promise<ApiKey[]>;
  /** @throws ApiError, see mint.ts */
  mint(request: { actor: SessionActor; body: MintBody; origin: AuditOrigin }): Promise<MintedKey>;
  /** Replaces the key's ranges. @throws ApiError `not_found`, `validation_error` */
  change(request: OwnKey & { cidrs: readonly string[] | null }): Promise<ApiKey>;
  /** @throws ApiError `not_found` */
  revoke(request: OwnKey): Promise<void>;
  catalogue(): { scopes: string[]; admin_only: string[] };
}

/** Keys with which people's scripts call the API; a key never exceeds what its owner may do now. */
export function createApiKeys(deps: ApiKeysDeps): ApiKeys {
  const { database, clock, audit } = deps;

  /** Changes a working key of the caller and writes the audit row. */
  async function changeOwn(
    { actor, id: givenId, origin }: OwnKey,
    changes: Parameters<typeof changeKey>[2],
    about: Pick<AuditEntry, "action" | "metadata">,
  ): Promise<ShownKey> {
    const id = givenId.toLowerCase();
    return database.write(async (tx) => {
      const isChanged = await changeKey(tx, { userId: actor.user.id, id, now: clock.now() }, changes);
      if (!isChanged) throw new ApiError("not_found", { resource: "api_key" });
      const row = await findKey(tx, id);
      const metadata = { name: row.name, prefix: row.prefix, ...about.metadata };
      await audit.append(tx, { ...about, target_type: "api_key", target_id: id, metadata, ...origin });
      return row;
    });
  }

  return {
    apiKey: createKeyAuthenticator(deps),
    apiKeyUsed: createUseSampler(deps),
    async list(actor) {
      return (await listKeys(database.read, actor.user.id, clock.now())).map(publicKey);
    },
    async mint(request) {
      const { id, token } = await mintKey(deps, request);
      return { ...publicKey(await findKey(database.read, id)), token };
    },
    async change({ cidrs: given, ...key }) {
      const cidrs = canonicalCidrs(given);
      const allowed_cidrs = cidrs === null ? null : JSON.stringify(cidrs);
      const about = { action: "api_key.updated", metadata: { allowed_cidrs: cidrs } };
      return publicKey(await changeOwn(key, { allowed_cidrs }, about));
    },
    async revoke(key) {
      const revoked = { revoked_at: clock.now(), revoked_reason: "revoked_by_owner" };
      await changeOwn(key, revoked, { action: "api_key.revoked", metadata: { reason: revoked.revoked_reason } });
    },
    catalogue: () => ({ scopes: [...scopes], admin_only: [...adminOnlyScopes] }),
  };
}

/** A key as the API shows it (spec part 3, section 5.3). */
function publicKey(row: ShownKey): ApiKey {
  return {
    ...row,
    scopes: JSON.parse(row.scopes) as string[],
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    allowed_cidrs: row.allowed_cidrs === null ? null : (JSON.parse(row.allowed_cidrs) as string[]),
  };
}

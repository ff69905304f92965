import type { SessionActor } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { AuditEntry, AuditOrigin } from "../audit/index.ts";
import { type AuthenticateDeps, createKeyAuthenticator, createUseSampler } from "./authenticate.ts";
import { type MintDeps, mintKey } from "./mint.ts";
import { adminOnlyScopes, canonicalCidrs } from "./rules.ts";
import type { ApiKey, MintBody, MintedKey } from "./schemas.ts";
import { scopes } from "./scopes.ts";
import { changeKey, findKey, listKeys, revokeKeysOf, type ShownKey } from "./store.ts";

interface OwnKey {
  readonly actor: SessionActor;
  readonly id: string;
  readonly origin: AuditOrigin;
}

interface AboutKeys {
  readonly userId: string;
  readonly origin: AuditOrigin;
}

/** Keys for scripts that call the API; a key never exceeds what its owner may do now. */
export function createApiKeys(deps: AuthenticateDeps & MintDeps & { readonly database: MintDeps["database"] }) {
  const { database, clock, audit, users, history } = deps;

  /** Changes an active key of the caller and writes the audit row. */
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
    /** The caller's active keys, newest first. */
    async list(actor: SessionActor): Promise<ApiKey[]> {
      return (await listKeys(database.read, actor.user.id, clock.now())).map(publicKey);
    },
    /** @throws ApiError, see mint.ts */
    async mint(request: { actor: SessionActor; body: MintBody; origin: AuditOrigin }): Promise<MintedKey> {
      const { id, token } = await mintKey(deps, request);
      return { ...publicKey(await findKey(database.read, id)), token };
    },
    /** Replaces the key's ranges. @throws ApiError `not_found`, `validation_error` */
    async change({ cidrs: given, ...key }: OwnKey & { cidrs: readonly string[] | null }): Promise<ApiKey> {
      const cidrs = canonicalCidrs(given);
      const allowed_cidrs = cidrs === null ? null : JSON.stringify(cidrs);
      const about = { action: "api_key.updated", metadata: { allowed_cidrs: cidrs } };
      return publicKey(await changeOwn(key, { allowed_cidrs }, about));
    },
    /** @throws ApiError `not_found` */
    async revoke(key: OwnKey) {
      const revoked = { revoked_at: clock.now(), revoked_reason: "revoked_by_owner" };
      await changeOwn(key, revoked, { action: "api_key.revoked", metadata: { reason: revoked.revoked_reason } });
    },
    /** A user's active keys, newest first, for an administrator. @throws ApiError `not_found` */
    async listOf({ userId, origin }: AboutKeys): Promise<ApiKey[]> {
      if ((await users.findById(userId)) === undefined) throw unknownUser();
      const rows = await listKeys(database.read, userId, clock.now());
      const about = { action: "user.api_keys_listed", target_type: "user", target_id: userId };
      await database.write((tx) => audit.append(tx, { ...about, metadata: { keys: rows.length }, ...origin }));
      return rows.map(publicKey);
    },
    /** Revokes every active key of a user, for an administrator. @returns the number revoked. @throws ApiError `not_found` */
    async revokeAllOf({ userId, origin }: AboutKeys) {
      const { revoked, mail } = await database.write(async (tx) => {
        if ((await users.lock(tx, userId)) === undefined) throw unknownUser();
        const revoked = await revokeKeysOf(tx, { userId, reason: "revoked_by_admin", now: clock.now() });
        const about = { action: "user.api_keys_revoked", target_type: "user", target_id: userId };
        await audit.append(tx, { ...about, metadata: { api_keys_revoked: revoked }, ...origin });
        const details = { by: "administrator", api_keys_revoked: revoked } as const;
        const notice = { userId, kind: "api_keys.revoked", origin, details } as const;
        return { revoked, mail: revoked === 0 ? null : await history.record(tx, notice) };
      });
      history.notify(mail);
      return revoked;
    },
    catalogue: () => ({ scopes: [...scopes], admin_only: [...adminOnlyScopes] }),
  };
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

const unknownUser = () => new ApiError("not_found", { resource: "user" });

/** A key as the API shows it. */
function publicKey(row: ShownKey): ApiKey {
  return {
    ...row,
    scopes: JSON.parse(row.scopes) as string[],
    allowed_cidrs: row.allowed_cidrs === null ? null : (JSON.parse(row.allowed_cidrs) as string[]),
  };
}

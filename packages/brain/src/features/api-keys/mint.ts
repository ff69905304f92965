import { apiKeyPrefix, randomApiKey, tokenLabels } from "@svc/protocol";
import { storedDigest } from "../../platform/crypto/digests.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { days } from "../../platform/durations.ts";
import type { SessionActor } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { ApiKeyRow, Core } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import type { Projects } from "../projects/index.ts";
import type { SecurityHistory } from "../security-history/index.ts";
import type { Users } from "../users/index.ts";
import { canonicalCidrs, requireMintableScopes } from "./rules.ts";
import type { MintBody } from "./schemas.ts";
import { countWorkingKeys, insertKey, isSessionThere, maxWorkingKeys } from "./store.ts";

export interface MintDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly masters: Keyring;
  readonly projects: Pick<Projects, "get" | "find">;
  readonly users: Pick<Users, "lock" | "findById">;
  readonly history: Pick<SecurityHistory, "record" | "notify">;
}

const prefixChars = apiKeyPrefix.length + 4;

/**
 * Creates a key for the caller; its token is returned only here.
 *
 * @throws ApiError `validation_error` for an unknown scope or a malformed range, `forbidden` for a scope that requires an instance administrator,
 * `not_found` for a project that the caller cannot see, `conflict` (too_many_keys).
 */
export async function mintKey(
  deps: MintDeps,
  { actor, body, origin }: { actor: SessionActor; body: MintBody; origin: AuditOrigin },
): Promise<{ id: string; token: string }> {
  const { clock, masters } = deps;
  const scopes = requireMintableScopes(body.scopes, actor.user.is_admin);
  const cidrs = canonicalCidrs(body.allowed_cidrs ?? null);
  const projectId = body.project_id?.toLowerCase() ?? null;
  if (projectId !== null) await requireVisible(deps.projects, projectId, actor);
  const token = randomApiKey();
  const now = clock.now();
  const row: ApiKeyRow = {
    id: uuidV7(clock),
    user_id: actor.user.id,
    project_id: projectId,
    name: body.name.trim(),
    prefix: token.slice(0, prefixChars),
    token_hash: storedDigest(masters, tokenLabels.apiKey, token),
    scopes: JSON.stringify(scopes),
    allowed_cidrs: cidrs === null ? null : JSON.stringify(cidrs),
    expires_at:
      body.expires_in_days === null || body.expires_in_days === undefined
        ? null
        : new Date(now.getTime() + days(body.expires_in_days)),
    last_used_at: null,
    last_used_ip: null,
    revoked_at: null,
    revoked_reason: null,
    created_at: now,
    updated_at: now,
  };
  const mail = await deps.database.write(async (tx) => {
    // Transactions that end keys and sessions also hold the lock of the user's row, so a request that was in progress creates no key
    // afterwards.
    await deps.users.lock(tx, row.user_id);
    if (!(await isSessionThere(tx, actor.sessionId))) throw new ApiError("unauthenticated");
    if ((await countWorkingKeys(tx, row.user_id, now)) >= maxWorkingKeys)
      throw new ApiError("conflict", { reason: "too_many_keys", limit: maxWorkingKeys });
    await insertKey(tx, row);
    await deps.audit.append(tx, {
      action: "api_key.created",
      target_type: "api_key",
      target_id: row.id,
      metadata: {
        name: row.name,
        prefix: row.prefix,
        scopes,
        project_id: projectId,
        allowed_cidrs: cidrs,
        expires_at: row.expires_at?.toISOString() ?? null,
      },
      ...origin,
    });
    const details = { name: row.name, prefix: row.prefix };
    return deps.history.record(tx, { userId: row.user_id, kind: "api_key.created", origin, details });
  });
  deps.history.notify(mail);
  return { id: row.id, token };
}

/** The same 404 for a project that does not exist and for one that the caller cannot see. */
async function requireVisible(projects: MintDeps["projects"], projectId: string, { user }: SessionActor) {
  const { slug } = await projects.get(projectId);
  const entry = user.is_admin || (await projects.find(slug, user.id))?.role;
  if (!entry) throw new ApiError("not_found", { resource: "project" });
}

import { Compile } from "typebox/compile";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import type { Tx } from "../../platform/database/database.ts";
import { isUniqueViolation } from "../../platform/database/errors.ts";
import type { Role, SessionActor } from "../../platform/http/access/actor.ts";
import { sourceOf } from "../../platform/http/connections/addresses.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { Core, Tables, UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../audit/index.ts";
import type { Memberships } from "../memberships/index.ts";
import { passwordRefusal, type Users } from "../users/index.ts";
import { type AcceptBody, type Accepted, Newcomer } from "./schemas.ts";
import { consumeInvitation, type findOpen, noteAccepter } from "./store.ts";

export interface AcceptDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly users: Pick<Users, "add" | "findByEmail" | "lock">;
  readonly memberships: Pick<Memberships, "add" | "isMember" | "announceChanged">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly settings: { readonly SVC_PASSWORD_MIN_LENGTH: number };
}

export interface AcceptRequest {
  readonly body: AcceptBody;
  /** The session sent with the request, once its CSRF token was checked; read only when an account exists. */
  readonly sessionOf: (userId: string) => Promise<SessionActor | null>;
  readonly origin: AuditOrigin;
}

/** An invitation that can be accepted, whose token was presented. */
export type OpenInvitation = NonNullable<Awaited<ReturnType<typeof findOpen>>>;

/**
 * Adds the invited person to the project: the signed-in user with that address, or a new account. Using up the invitation, account,
 * membership and audit rows are one transaction, so only one of two concurrent accepts succeeds.
 *
 * @throws ApiError `conflict` (login_required, already_member), `validation_error` for missing or invalid fields of a new account,
 * `not_found` when another accept came first.
 */
export async function acceptInvitation(
  deps: AcceptDeps,
  invitation: OpenInvitation,
  request: AcceptRequest,
): Promise<Accepted> {
  const existing = await deps.users.findByEmail(invitation.email);
  const join = existing === undefined ? await asNewcomer(deps, invitation, request) : await asUser(existing, request);
  try {
    const accepted = await deps.database.write(async (tx) => {
      if (!(await consumeInvitation(tx, invitation.id, deps.clock.now()))) throw unknownInvitation();
      const { user, entries } = await join(tx, deps);
      if (await deps.memberships.isMember(tx, invitation.project_id, user.id)) {
        throw new ApiError("conflict", { reason: "already_member" });
      }
      const role = invitation.role as Role;
      const membershipId = await deps.memberships.add(tx, { userId: user.id, projectId: invitation.project_id, role });
      await noteAccepter(tx, invitation.id, user.id);
      const about = { project_id: invitation.project_id, ...request.origin, user_id: user.id };
      await deps.audit.append(tx, [
        ...entries.map((entry) => ({ ...entry, ...request.origin, user_id: user.id })),
        {
          action: "invitation.accept",
          target_type: "invitation",
          target_id: invitation.id,
          metadata: { role },
          ...about,
        },
        {
          action: "membership.granted",
          target_type: "membership",
          target_id: membershipId,
          metadata: { user_id: user.id, role, invitation_id: invitation.id },
          ...about,
        },
      ]);
      return { user_id: user.id, project_slug: invitation.project_slug, role };
    });
    await deps.memberships.announceChanged();
    return accepted;
  } catch (error) {
    // The account or the membership was created after the first check.
    if (!isUniqueViolation(error)) throw error;
    throw existing === undefined ? loginRequired(error) : new ApiError("conflict", { reason: "already_member" });
  }
}

/** How the person enters the transaction: as an existing account, or as one to create. */
type Join = (
  tx: Tx<Tables>,
  deps: AcceptDeps,
) => Promise<{ user: Pick<UserRow, "id">; entries: readonly AuditEntry[] }>;

async function asUser(existing: UserRow, { sessionOf }: AcceptRequest): Promise<Join> {
  const actor = await sessionOf(existing.id);
  if (actor === null || actor.mfa.pending || actor.mfa.overdueSince !== null) throw loginRequired();
  return async (tx, { users }) => {
    const user = await users.lock(tx, existing.id);
    if (user === undefined || !user.is_active) throw loginRequired();
    return { user, entries: [] };
  };
}

async function asNewcomer(deps: AcceptDeps, { email }: OpenInvitation, { body, origin }: AcceptRequest): Promise<Join> {
  const newcomer = requireNewcomer(body);
  const owner = { email, display_name: newcomer.display_name };
  const policy = { minChars: deps.settings.SVC_PASSWORD_MIN_LENGTH, owner };
  const refusal = passwordRefusal("password", newcomer.password, policy);
  if (refusal !== null) throw refusal;
  const passwordHash = await deps.passwords.hash(newcomer.password, sourceOf(origin));
  return async (tx, { users }) => {
    const user = await users.add(tx, { email, displayName: newcomer.display_name, passwordHash, isAdmin: false });
    const created = { action: "user.created", target_type: "user", target_id: user.id, metadata: { is_admin: false } };
    return { user, entries: [created] };
  };
}

const newcomerCheck = Compile(Newcomer);
const newcomerFields = ["display_name", "password"] as const;

function requireNewcomer(body: AcceptBody): Newcomer {
  const { display_name, password } = body;
  const given: unknown = { display_name, password };
  if (newcomerCheck.Check(given)) return given;
  const wrong = newcomerFields.filter((field) => body[field] === undefined || refuses(given, field));
  throw invalid(
    wrong.map((field) => ({
      loc: ["body", field],
      ...(body[field] === undefined
        ? { type: "missing", message: "is required" }
        : {
            type: "invalid",
            message: field === "password" ? "must have 8 to 256 characters" : "must be a valid name",
          }),
    })),
  );
}

const refuses = (given: unknown, field: string): boolean =>
  newcomerCheck.Errors(given).some(({ instancePath }) => instancePath === `/${field}`);

export const unknownInvitation = () => new ApiError("not_found", { resource: "invitation" });

const loginRequired = (cause?: unknown) => new ApiError("conflict", { reason: "login_required" }, { cause });

import { setTimeout as sleep } from "node:timers/promises";
import { randomToken, tokenLabels } from "@svc/protocol";
import { candidateDigests, storedDigest } from "../../platform/crypto/digests.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { days } from "../../platform/durations.ts";
import type { Role } from "../../platform/http/access/actor.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { InvitationRow } from "../../schema/tables/index.ts";
import type { AuditOrigin } from "../audit/index.ts";
import { emailKey, type Users } from "../users/index.ts";
import { type AcceptDeps, type AcceptRequest, acceptInvitation, unknownInvitation } from "./accept.ts";
import { invitationMail } from "./invitation-mail.ts";
import type { Accepted, Invitation, InviteBody, InvitedAnswer, Preview } from "./schemas.ts";
import { findOpen, insertInvitation, listPending, revokePending } from "./store.ts";

export interface InvitationsDeps extends AcceptDeps {
  readonly users: AcceptDeps["users"] & Pick<Users, "findById">;
  /** Master secrets. */
  readonly masters: Keyring;
  readonly mail: Pick<Mail, "send" | "isConfigured">;
  readonly settings: AcceptDeps["settings"] & { readonly SVC_PUBLIC_URL: string };
}

export interface Invitations {
  /** Pending invitations of a project, newest first. */
  list(projectId: string): Promise<Invitation[]>;
  /** Creates an invitation and mails it; only this answer contains the token. */
  create(request: {
    project: { id: string; name: string };
    body: InviteBody;
    origin: AuditOrigin;
  }): Promise<InvitedAnswer>;
  /** @throws ApiError `not_found` unless it is pending. */
  revoke(request: { projectId: string; id: string; origin: AuditOrigin }): Promise<void>;
  /** @throws ApiError `not_found` for any invalid token, whatever the reason. */
  preview(token: string): Promise<Preview>;
  /** @throws ApiError as `preview` and accept.ts do. */
  accept(request: AcceptRequest): Promise<Accepted>;
}

const defaultTtlDays = 7;
/** How long an answer waits to learn whether the mail server accepted the mail. */
const mailWaitMs = 5000;

/** Invitations to a project, by a token that is mailed or handed over. */
export function createInvitations(deps: InvitationsDeps): Invitations {
  const { database, clock, audit, users, masters, mail, settings } = deps;
  const digestsOf = (token: string) => candidateDigests(masters, tokenLabels.invitation, token);

  async function requireOpen(token: string) {
    const open = await findOpen(database.read, digestsOf(token), clock.now());
    if (open === undefined) throw unknownInvitation();
    return open;
  }

  return {
    async list(projectId) {
      return (await listPending(database.read, projectId, clock.now())).map(publicInvitation);
    },
    async create({ project, body, origin }) {
      const { role = "viewer", ttl_days: ttlDays = defaultTtlDays } = body;
      const token = randomToken();
      const now = clock.now();
      const row: InvitationRow = {
        id: uuidV7(clock),
        project_id: project.id,
        email: body.email,
        email_key: emailKey(body.email),
        role,
        invited_by: origin.user_id,
        token_hash: storedDigest(masters, tokenLabels.invitation, token),
        expires_at: new Date(now.getTime() + days(ttlDays)),
        accepted_at: null,
        accepted_by_user_id: null,
        revoked_at: null,
        created_at: now,
        updated_at: now,
      };
      const invitation = await database.write(async (tx) => {
        const inserted = await insertInvitation(tx, row);
        await audit.append(tx, {
          action: "invitation.mint",
          target_type: "invitation",
          target_id: row.id,
          project_id: project.id,
          // No address: audit rows outlive the invitation.
          metadata: { role, ttl_days: ttlDays },
          ...origin,
        });
        return publicInvitation(inserted);
      });
      // In the fragment, which browsers never send, so that no proxy logs the token.
      const path = `/invite#token=${token}`;
      const url = new URL(path, settings.SVC_PUBLIC_URL).href;
      const inviter = origin.user_id === null ? undefined : await users.findById(origin.user_id);
      const sending = mail.send(invitationMail({ row, projectName: project.name, inviter, url }));
      const isSent = mail.isConfigured && (await Promise.race([sending, sleep(mailWaitMs, false, { ref: false })]));
      return { invitation, token, accept_url_path: path, email_sent: isSent };
    },
    async revoke({ projectId, id, origin }) {
      await database.write(async (tx) => {
        if (!(await revokePending(tx, projectId, id, clock.now()))) throw unknownInvitation();
        const about = { target_type: "invitation", target_id: id, project_id: projectId };
        await audit.append(tx, { action: "invitation.revoke", ...about, ...origin });
      });
    },
    async preview(token) {
      const { email, role, project_slug, project_name, expires_at } = await requireOpen(token);
      return {
        email,
        role: role as Role,
        project_slug,
        project_name,
        expires_at,
        existing_account: (await users.findByEmail(email)) !== undefined,
      };
    },
    async accept(request) {
      return acceptInvitation(deps, await requireOpen(request.body.token), request);
    },
  };
}

/** An invitation as the API shows it; never the token or its digest. */
function publicInvitation(row: Awaited<ReturnType<typeof insertInvitation>>): Invitation {
  return { ...row, role: row.role as Role };
}

import type { MailMessage } from "../../platform/mail/render.ts";
import type { InvitationRow, UserRow } from "../../schema/tables/index.ts";

export interface InvitationMail {
  readonly row: Pick<InvitationRow, "email" | "role" | "expires_at">;
  readonly projectName: string;
  readonly inviter: Pick<UserRow, "display_name" | "email"> | undefined;
  /** URL of the page where it is accepted. */
  readonly url: string;
}

/** The invitation mail. */
export function invitationMail({ row, projectName, inviter, url }: InvitationMail): MailMessage {
  const who = inviter === undefined ? "Someone" : (inviter.display_name ?? inviter.email);
  return {
    kind: "invitation",
    to: row.email,
    subject: `Invitation to ${projectName}`,
    before: [`${who} invited you to join the project ${projectName} as ${row.role}.`],
    link: { label: "Accept the invitation", url },
    after: [
      `The link works once and expires on ${row.expires_at.toISOString().slice(0, 16).replace("T", " ")} UTC.`,
      "If you did not expect this invitation, ignore this email.",
    ],
  };
}

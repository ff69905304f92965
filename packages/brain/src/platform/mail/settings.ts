import { type Static, Type } from "typebox";
import type { SettingsCheck } from "../settings.ts";

export const mailSettings = Type.Object({
  SVC_MAIL_URL: Type.Optional(
    Type.String({
      secret: true,
      format: "svc-mail-url",
      description:
        "mail server for invitations, password resets and security notices: smtp://user:password@host:587 or smtps://…:465; smtp with a user requires STARTTLS, unless the host is loopback. If it is not set, no mail is sent",
    }),
  ),
  SVC_MAIL_FROM: Type.Optional(
    Type.String({
      format: "svc-mail-from",
      description: "sender of all mail, name@example.org or Name <name@example.org>; required with SVC_MAIL_URL",
    }),
  ),
});
export type MailValues = Static<typeof mailSettings>;

export const checkMailSender: SettingsCheck = (values, fault) => {
  if (values.SVC_MAIL_URL !== undefined && values.SVC_MAIL_FROM === undefined)
    fault("SVC_MAIL_FROM", "is required with SVC_MAIL_URL");
};

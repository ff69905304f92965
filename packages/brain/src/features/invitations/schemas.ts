import { type Static, Type } from "typebox";
import { IdOf, Instant, Line, Nullable, OneOf, ProjectParams, Uuid } from "../../platform/http/schemas.ts";
import { roles } from "../memberships/index.ts";
import { Email, NewPassword } from "../users/index.ts";

export const Invitation = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    email: Type.String(),
    role: OneOf(roles, { title: "ProjectRole" }),
    invited_by: Nullable(Uuid),
    expires_at: Instant,
    accepted_at: Nullable(Instant),
    revoked_at: Nullable(Instant),
    created_at: Instant,
  },
  { title: "Invitation", description: "An invitation to a project, without its token." },
);
export type Invitation = Static<typeof Invitation>;

export const InvitationList = Type.Object(
  { items: Type.Array(Invitation) },
  { title: "InvitationPage", description: "Invitations that can still be accepted." },
);

export const InvitationParams = Type.Object({ ...ProjectParams.properties, invitation_id: IdOf("invitation") });

export const InviteBody = Type.Object(
  {
    email: Email,
    role: Type.Optional(OneOf(roles, { title: "ProjectRole" })),
    ttl_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30, description: "days the invitation works, default 7" }),
    ),
  },
  { title: "InvitationCreate" },
);
export type InviteBody = Static<typeof InviteBody>;

export const InvitedAnswer = Type.Object(
  {
    invitation: Invitation,
    token: Type.String({ description: "shown once" }),
    accept_url_path: Type.String({ description: "path and fragment under SVC_PUBLIC_URL where it is accepted" }),
    email_sent: Type.Boolean({ description: "whether the mail server took the mail" }),
  },
  { title: "InvitedAnswer", description: "A new invitation with its token." },
);
export type InvitedAnswer = Static<typeof InvitedAnswer>;

const Token = Type.String({ minLength: 1, maxLength: 256 });

export const PreviewBody = Type.Object({ token: Token }, { title: "InvitationToken" });

export const Preview = Type.Object(
  {
    email: Type.String(),
    role: OneOf(roles, { title: "ProjectRole" }),
    project_slug: Type.String(),
    project_name: Type.String(),
    expires_at: Instant,
    existing_account: Type.Boolean(),
  },
  { title: "InvitationPreview", description: "What an invitation offers." },
);
export type Preview = Static<typeof Preview>;

/** What a new account needs. It is judged only where there is no account yet: otherwise nothing of it is read. */
export const Newcomer = Type.Object({ display_name: Line(200), password: NewPassword });
export type Newcomer = Static<typeof Newcomer>;

export const AcceptBody = Type.Object(
  {
    token: Token,
    display_name: Type.Optional(Type.Unknown({ description: "for a new account: 1 to 200 characters" })),
    password: Type.Optional(Type.Unknown({ description: "for a new account: 8 to 256 characters" })),
  },
  { title: "InvitationAccept" },
);
export type AcceptBody = Static<typeof AcceptBody>;

export const Accepted = Type.Object(
  { user_id: Uuid, project_slug: Type.String(), role: OneOf(roles, { title: "ProjectRole" }) },
  { title: "InvitationAccepted", description: "The new membership." },
);
export type Accepted = Static<typeof Accepted>;

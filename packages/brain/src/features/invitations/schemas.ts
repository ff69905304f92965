import { type Static, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  Line,
  Nullable,
  ProjectId,
  ProjectParams,
  Uuid,
  ValidatedLater,
} from "../../platform/http/schemas.ts";
import { ProjectRole } from "../memberships/index.ts";
import { Email, NewPassword } from "../users/index.ts";

export const Invitation = Type.Object(
  {
    id: Described(Uuid, "id of the invitation"),
    project_id: ProjectId,
    email: Type.String({ description: "address that it was made for" }),
    role: ProjectRole,
    invited_by: Nullable(Uuid, "user who made it; null for a deleted account"),
    expires_at: Described(Instant, "when it can no longer be accepted"),
    accepted_at: Nullable(Instant, "when it was accepted; null before that"),
    revoked_at: Nullable(Instant, "when it was revoked; null while it is valid"),
    created_at: Described(Instant, "when it was made"),
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
    email: Described(Email, "e-mail address of the person invited"),
    role: Type.Optional(ProjectRole),
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

export const PreviewBody = Type.Object(
  { token: Described(Token, "from the link of the invitation") },
  { title: "InvitationToken" },
);

export const Preview = Type.Object(
  {
    email: Type.String({ description: "address that it was made for" }),
    role: ProjectRole,
    project_slug: Type.String({ description: "slug of the project" }),
    project_name: Type.String({ description: "name of the project shown to people" }),
    expires_at: Described(Instant, "when it can no longer be accepted"),
    existing_account: Type.Boolean({
      description: "whether the address has an account, which must be signed in to accept",
    }),
  },
  { title: "InvitationPreview", description: "What an invitation offers." },
);
export type Preview = Static<typeof Preview>;

/** What a new account needs. It is validated only where there is no account yet: otherwise nothing of it is read. */
export const Newcomer = Type.Object({
  display_name: { ...Line(200), description: "for a new account; ignored when the invited address has one" },
  password: { ...NewPassword, description: "for a new account; ignored when the invited address has one" },
});
export type Newcomer = Static<typeof Newcomer>;

export const AcceptBody = Type.Object(
  {
    token: Described(Token, "from the link of the invitation"),
    display_name: Type.Optional(ValidatedLater(Newcomer.properties.display_name)),
    password: Type.Optional(ValidatedLater(Newcomer.properties.password)),
  },
  { title: "InvitationAccept" },
);
export type AcceptBody = Static<typeof AcceptBody>;

export const Accepted = Type.Object(
  {
    user_id: Described(Uuid, "id of the account that is a member now"),
    project_slug: Type.String({ description: "slug of the project" }),
    role: ProjectRole,
  },
  { title: "InvitationAccepted", description: "The new membership." },
);
export type Accepted = Static<typeof Accepted>;

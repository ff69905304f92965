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
    email: Type.String({ description: "invited email address" }),
    role: ProjectRole,
    invited_by: Nullable(Uuid, "user who created it; null for a deleted account"),
    expires_at: Described(Instant, "when it expires"),
    accepted_at: Nullable(Instant, "when it was accepted; null before that"),
    revoked_at: Nullable(Instant, "when it was revoked; null while it is valid"),
    created_at: Described(Instant, "when it was created"),
  },
  { title: "Invitation", description: "An invitation to a project, without its token." },
);
export type Invitation = Static<typeof Invitation>;

export const InvitationList = Type.Object(
  { items: Type.Array(Invitation) },
  { title: "InvitationPage", description: "Pending invitations." },
);

export const InvitationParams = Type.Object({ ...ProjectParams.properties, invitation_id: IdOf("invitation") });

export const InviteBody = Type.Object(
  {
    email: Described(Email, "email address of the person invited"),
    role: Type.Optional(ProjectRole),
    ttl_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30, description: "days until the invitation expires, default 7" }),
    ),
  },
  { title: "InvitationCreate" },
);
export type InviteBody = Static<typeof InviteBody>;

export const InvitedAnswer = Type.Object(
  {
    invitation: Invitation,
    token: Type.String({ description: "shown once" }),
    accept_url_path: Type.String({ description: "path and fragment of the accept page under SVC_PUBLIC_URL" }),
    email_sent: Type.Boolean({ description: "whether the mail server accepted the mail" }),
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
    email: Type.String({ description: "invited email address" }),
    role: ProjectRole,
    project_slug: Type.String({ description: "slug of the project" }),
    project_name: Type.String({ description: "name of the project shown to people" }),
    expires_at: Described(Instant, "when it expires"),
    existing_account: Type.Boolean({
      description: "whether the address has an account, whose owner must be signed in to accept",
    }),
  },
  { title: "InvitationPreview", description: "The project and the role of an invitation." },
);
export type Preview = Static<typeof Preview>;

/** Fields of a new account. They are validated only when the address has no account; otherwise they are ignored. */
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
    user_id: Described(Uuid, "id of the new member's account"),
    project_slug: Type.String({ description: "slug of the project" }),
    role: ProjectRole,
  },
  { title: "InvitationAccepted", description: "The new membership." },
);
export type Accepted = Static<typeof Accepted>;

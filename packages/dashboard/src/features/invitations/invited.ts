import type { InvitationPreview } from "@svc/client";

/** Props of the components that accept an invitation. */
export interface Invited {
  token: string;
  invitation: InvitationPreview;
  /** The email of the signed-in user; null without a complete session. */
  signedIn: string | null;
  onJoined: (slug: string) => void;
  /** Called when the account of the address was created or deleted since the preview. */
  onChanged: () => void;
}

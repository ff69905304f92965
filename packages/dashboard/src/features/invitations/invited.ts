import type { InvitationPreview } from "@svc/client";

/** What the ways to accept an invitation have in common. */
export interface Invited {
  token: string;
  invitation: InvitationPreview;
  /** Whose session this browser has; null without one that is let in. */
  signedIn: string | null;
  onJoined: (slug: string) => void;
  /** The account of the address came or went meanwhile. */
  onChanged: () => void;
}

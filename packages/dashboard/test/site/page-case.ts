import type { Page } from "playwright-core";

/** The values in the addresses of pages. */
export interface Site {
  readonly slug: string;
  readonly agentId: string;
  readonly workerId: string;
  /** A command that failed. */
  readonly commandId: string;
  /** The failure in the sample of tasks. */
  readonly fingerprint: string;
  /** The token of an invitation for an address without an account. */
  readonly invitation: string;
  /** Sessions of a user with a second factor: one that is verified, and one that waits for its code. */
  readonly verifiedCookie: string;
  readonly pendingCookie: string;
  /** A bulk retry without an eligible agent, and one that has ended. */
  readonly openBulkRetryId: string;
  readonly bulkRetryId: string;
  /** A schedule with fires, of which the last ones failed. */
  readonly scheduleId: string;
}

export interface PageCase {
  readonly path: (site: Site) => string;
  readonly title: RegExp;
  /** Resolves once the page shows its content. */
  readonly ready: (page: Page) => Promise<unknown>;
  readonly isAnonymous?: boolean;
  /** The session's cookie; default: the administrator's. */
  readonly cookie?: (site: Site) => string;
  /** Whether it has no shell although a user is signed in. */
  readonly isBare?: boolean;
  /** The roles that may use it; others see a refusal. Default: every signed-in user. */
  readonly isFor?: "auditors and admins" | "operators and admins" | "instance admins";
  /** The refusal that a boundary catches on this page, and logs. */
  readonly logs?: string;
}

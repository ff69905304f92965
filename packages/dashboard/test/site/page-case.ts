import type { Page } from "playwright-core";

/** What the addresses of pages are made of. */
export interface Site {
  readonly slug: string;
  readonly agentId: string;
  readonly workerId: string;
  /** Of a command that failed. */
  readonly commandId: string;
  /** Of the failure of the sample. */
  readonly fingerprint: string;
  /** The token of an invitation for an address without an account. */
  readonly invitation: string;
  /** Of a user with a second factor: a session that it verified, and one that waits for its code. */
  readonly verifiedCookie: string;
  readonly pendingCookie: string;
  /** Of a bulk retry without an eligible agent, and of one that has ended. */
  readonly openBulkRetryId: string;
  readonly bulkRetryId: string;
}

export interface PageCase {
  readonly path: (site: Site) => string;
  readonly title: RegExp;
  /** Resolves once the page shows what it is for. */
  readonly ready: (page: Page) => Promise<unknown>;
  readonly isAnonymous?: boolean;
  /** The session's cookie; default: the administrator's. */
  readonly cookie?: (site: Site) => string;
  /** Whether it has no shell although a user is signed in. */
  readonly isBare?: boolean;
  /** Who may use it; others see that it is not for their role. Default: every signed-in user. */
  readonly isFor?: "auditors and admins" | "operators and admins" | "instance admins";
  /** The refusal that a boundary catches on this page, and logs. */
  readonly logs?: string;
}

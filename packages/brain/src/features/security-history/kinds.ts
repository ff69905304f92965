/** Events that an account's owner is informed about, and their mail texts. */
import type { AccountNoticeRow } from "../../schema/tables/index.ts";

/** Details of a notice, as the API shows them; each kind has some of them. */
export interface NoticeDetails {
  /** Name of an API key or a trusted device, as given by the user. */
  readonly name?: string;
  /** First characters of the API key. */
  readonly prefix?: string;
  /** The actor, when it need not be the owner in a session. */
  readonly by?: "owner" | "reset_link" | "administrator" | "operator";
  /** The second factor replaced an earlier one. */
  readonly replaced?: boolean;
  readonly api_keys_revoked?: number;
}

interface KindRule {
  readonly subject: string;
  readonly says: (details: NoticeDetails) => string;
  /** Kinds without a mail appear only in the history. */
  readonly isMailed: boolean;
}

const doers = {
  owner: "",
  reset_link: " with a password reset link",
  administrator: " by an administrator",
  operator: " by an operator of the server",
};
const doneBy = ({ by = "owner" }: NoticeDetails): string => doers[by];

const revoked = ({ api_keys_revoked: keys = 0 }: NoticeDetails): string =>
  keys === 0 ? "" : ` ${keys === 1 ? "1 API key was" : `${keys} API keys were`} revoked.`;

const rules = {
  "api_key.created": {
    subject: "New API key",
    says: ({ name = "", prefix = "" }) => `The API key "${name}" (${prefix}…) was created for your account.`,
    isMailed: true,
  },
  "api_keys.revoked": {
    subject: "API keys revoked",
    says: (details) => `API keys of your account were revoked${doneBy(details)}.${revoked(details)}`,
    isMailed: false,
  },
  "password.changed": {
    subject: "Password changed",
    says: (details) => `The password of your account was changed${doneBy(details)}.${revoked(details)}`,
    isMailed: true,
  },
  "factor.added": {
    subject: "Second factor added",
    says: ({ replaced }) =>
      replaced === true
        ? "The second factor of your account was replaced with another authenticator app."
        : "A second factor was added to your account.",
    isMailed: true,
  },
  "factor.removed": {
    subject: "Second factor removed",
    says: (details) => `The second factor of your account was removed${doneBy(details)}.${revoked(details)}`,
    isMailed: true,
  },
  "recovery_codes.regenerated": {
    subject: "New recovery codes",
    says: () => "The recovery codes of your account were replaced.",
    isMailed: false,
  },
  "device.trusted": {
    subject: "Browser trusted",
    says: ({ name = "" }) => `The browser "${name}" no longer needs a code when you sign in.`,
    isMailed: false,
  },
  "sign_in.new_device": {
    subject: "Sign-in from a new device",
    says: () => "Your password was used to sign in from a browser that your account has not used before.",
    isMailed: true,
  },
} satisfies Record<string, KindRule>;

export type NoticeKind = keyof typeof rules;
export const noticeKinds = Object.keys(rules) as NoticeKind[];
export const ruleOf = (kind: NoticeKind): KindRule => rules[kind];

export const detailsOf = (row: Pick<AccountNoticeRow, "details">): NoticeDetails =>
  JSON.parse(row.details) as NoticeDetails;

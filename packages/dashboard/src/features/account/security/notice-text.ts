import { type AccountNotice, plural } from "@svc/client";
import { printable } from "../../../ui/time/format.ts";

const doers: Record<NonNullable<AccountNotice["details"]["by"]>, string> = {
  owner: "",
  reset_link: " with a reset link",
  administrator: " by an administrator",
  operator: " by the server's operator",
};

const keys = (revoked: number): string => plural(revoked, "API key");

/** What happened, as one short sentence without a full stop. */
export function noticeText({ kind, details }: Pick<AccountNotice, "kind" | "details">): string {
  const { name = "", prefix = "", by = "owner", replaced, api_keys_revoked: revoked = 0 } = details;
  const withKeys = revoked === 0 ? "" : `, ${keys(revoked)} revoked`;
  const texts: Record<AccountNotice["kind"], string> = {
    "api_key.created": `API key "${name}" created (${prefix}…)`,
    "api_keys.revoked": `${keys(revoked)} revoked${doers[by]}`,
    "password.changed": `Password changed${doers[by]}${withKeys}`,
    "factor.added": replaced === true ? "Second factor replaced" : "Second factor added",
    "factor.removed": `Second factor removed${doers[by]}${withKeys}`,
    "recovery_codes.regenerated": "Recovery codes replaced",
    "device.trusted": `Browser "${name}" trusted`,
    "sign_in.new_device": "Sign-in from a new browser",
  };
  // A newer server may report kinds that this page does not know.
  return printable(texts[kind] ?? kind);
}

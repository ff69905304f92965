import type { AccountNotice } from "@svc/client";
import { expect, test } from "vitest";
import { noticeText } from "./notice-text.ts";

test.each<[AccountNotice["kind"], AccountNotice["details"], string]>([
  ["api_key.created", { name: "deploy", prefix: "svk_1234" }, 'API key "deploy" created (svk_1234…)'],
  ["api_keys.revoked", { by: "administrator", api_keys_revoked: 2 }, "2 API keys revoked by an administrator"],
  ["password.changed", { by: "owner", api_keys_revoked: 0 }, "Password changed"],
  [
    "password.changed",
    { by: "reset_link", api_keys_revoked: 1 },
    "Password changed with a reset link, 1 API key revoked",
  ],
  ["factor.added", { replaced: false }, "Second factor added"],
  ["factor.added", { replaced: true }, "Second factor replaced"],
  ["factor.removed", { by: "operator" }, "Second factor removed by the server's operator"],
  ["recovery_codes.regenerated", {}, "Recovery codes replaced"],
  ["device.trusted", { name: "Lap\u202etop" }, 'Browser "Lap\\u202etop" trusted'],
  ["sign_in.new_device", {}, "Sign-in from a new browser"],
  ["account.frozen" as never, {}, "account.frozen"],
])("%s with %j reads as a sentence", (kind, details, text) => {
  expect(noticeText({ kind, details })).toBe(text);
});

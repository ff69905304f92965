import { expect, test } from "vitest";
import { refuseLeaks } from "./no-leaks.ts";

test("a secret in a log line is reported by the line's event, without the secret", () => {
  const lines = [
    JSON.stringify({ event: "brain.started" }),
    JSON.stringify({ event: "mail.failed", to: "a-secret-b" }),
  ];
  expect(() => refuseLeaks(lines, ["other", ""])).not.toThrow();
  expect(() => refuseLeaks(lines, ["secret"])).toThrow(/^the log contains secrets, in lines of mail\.failed$/);
});

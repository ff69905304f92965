import { describe, expect, test } from "vitest";
import { isMailUrl, parseMailbox } from "./sender.ts";

describe("a sender", () => {
  test.each([
    ["svc@example.org", { name: "", address: "svc@example.org" }],
    ["Svc <svc@example.org>", { name: "Svc", address: "svc@example.org" }],
    ["Müller, Tasks <svc@example.org>", { name: "Müller, Tasks", address: "svc@example.org" }],
  ])("is %s", (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  test.each(["", "svc", "a@b@c", "a@b, c@d", "Svc <a@b>, <c@d>", "Svc <a@b\r\nBcc: c@d>", "S\nvc <a@b>", "<a b@c>"])(
    "is not %j",
    (text) => {
      expect(parseMailbox(text)).toBeNull();
    },
  );
});

describe("the URL of a mail server", () => {
  test.each(["smtp://localhost", "smtps://user:p%40ss@mail.example.org:465", "smtp://[::1]:25/"])("is %s", (text) => {
    expect(isMailUrl(text)).toBe(true);
  });

  test.each(["mail.example.org", "http://mail.example.org", "smtp://", "smtp://host/path", "smtp://host?x=1"])(
    "is not %s",
    (text) => {
      expect(isMailUrl(text)).toBe(false);
    },
  );
});

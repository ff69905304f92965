import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings, SettingsError } from "../settings.ts";
import { checkMailSender, mailSettings } from "./settings.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mail-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const url = "smtp://mailer:topsecret@mail.example.org";
const load = (env: Record<string, string>) =>
  loadSettings({ fragments: [mailSettings], checks: [checkMailSender], env, cwd: folder, mint: false });

describe("settings of mail", () => {
  test("are none by default", () => {
    expect(load({}).values).toEqual({});
  });

  test("never show the URL, which holds a password", () => {
    const loaded = load({ SVC_MAIL_URL: url, SVC_MAIL_FROM: "svc@example.org" });
    expect(loaded.values).toEqual({ SVC_MAIL_URL: url, SVC_MAIL_FROM: "svc@example.org" });
    expect(loaded.rows()).toMatchObject([
      { name: "SVC_MAIL_FROM", value: "svc@example.org" },
      { name: "SVC_MAIL_URL", value: "***" },
    ]);
  });

  test.each([
    ["a server without a sender", { SVC_MAIL_URL: url }, "SVC_MAIL_FROM"],
    ["a URL of another kind", { SVC_MAIL_URL: "https://topsecret.example.org", SVC_MAIL_FROM: "a@b" }, "SVC_MAIL_URL"],
    ["two senders", { SVC_MAIL_URL: url, SVC_MAIL_FROM: "a@b, c@d" }, "SVC_MAIL_FROM"],
    ["a sender with a header", { SVC_MAIL_URL: url, SVC_MAIL_FROM: "a@b\nBcc: c@d" }, "SVC_MAIL_FROM"],
  ])("with %s stop the start, without a value in the message", (_what, env, name) => {
    let fault: unknown;
    try {
      load(env);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(SettingsError);
    expect(new Set((fault as SettingsError).faults.map((found) => found.name))).toEqual(new Set([name]));
    expect(String(fault)).not.toContain("topsecret");
  });
});

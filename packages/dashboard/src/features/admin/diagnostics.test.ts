import { expect, test } from "vitest";
import { diagnosticBundle } from "./diagnostics.ts";

const setting = (name: string, value: string, is_secret = false, source = "environment") => ({
  name,
  value,
  source,
  is_secret,
  description: "",
});

test("the diagnostic bundle has what was set, without secrets, credentials and tokens in URLs", () => {
  const text = diagnosticBundle({
    at: new Date("2026-11-22T10:00:00Z"),
    health: undefined,
    system: undefined,
    settings: [
      setting("SVC_BIND_PORT", "8080"),
      setting("SVC_SECRET", "planted-1", true),
      setting("SVC_AUDIT_WEBHOOK_URL", "https://who:planted-2@hooks.example.org/T/planted-3?key=planted-4"),
      setting("SVC_LIST", '["https://one:planted-5@a.example","https://b.example/planted-6"]'),
      setting("SVC_ODD", "smtp://user:plan/ted-7@mail.example.org:25"),
      setting("SVC_UNTOUCHED", "planted-8", false, "default"),
    ],
  });
  expect(text).not.toMatch(/planted|ted-7|who|one:/);
  expect(JSON.parse(text)).toEqual({
    taken_at: "2026-11-22T10:00:00.000Z",
    system: "not read",
    health: "not read",
    settings: {
      SVC_BIND_PORT: { source: "environment", value: "8080" },
      SVC_SECRET: { source: "environment", value: "***" },
      SVC_AUDIT_WEBHOOK_URL: { source: "environment", value: "https://hooks.example.org" },
      SVC_LIST: { source: "environment", value: '["https://a.example","https://b.example"]' },
      SVC_ODD: { source: "environment", value: "smtp://mail.example.org:25" },
    },
  });
});

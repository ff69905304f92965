import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { platformSettings } from "../../platform/settings/platform-settings.ts";
import { loadSettings, SettingsError } from "../../platform/settings.ts";
import { createAuthority, issueCertificate } from "./certificates/certificate.ts";
import { checkSchedulerGrpc, schedulerGrpcSettings } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-grpc-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const request = { now: new Date(), validityDays: 1 };
const authority = createAuthority({ name: "authority", ...request });
const own = issueCertificate(authority, { name: "brain", dnsNames: ["brain"], ...request });
const files = {
  SVC_SCHEDULER_GRPC_TLS_CERT: file("cert.pem", own.certificate),
  SVC_SCHEDULER_GRPC_TLS_KEY: file("key.pem", own.key),
  SVC_SCHEDULER_GRPC_TLS_CA: file("ca.pem", authority.certificate),
};
const enabled = { SVC_SCHEDULER_GRPC_ENABLED: "true" };

function load(env: Record<string, string>) {
  return loadSettings({
    fragments: [...platformSettings, schedulerGrpcSettings],
    checks: [checkSchedulerGrpc],
    env: { SVC_HOME: folder, ...env },
    cwd: folder,
    mint: false,
  }).values;
}

/** The names and messages of the faults. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    load(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(({ name, message }) => `${name} ${message}`);
    throw error;
  }
  return [];
}

describe("the settings of the listener for schedulers", () => {
  test("need nothing while it is off", () => {
    expect(faultsOf({})).toEqual([]);
  });

  test("need certificate, key and authority", () => {
    const needed = "must name a file when SVC_SCHEDULER_GRPC_ENABLED is true";
    expect(faultsOf(enabled)).toEqual([
      `SVC_SCHEDULER_GRPC_TLS_CERT ${needed}`,
      `SVC_SCHEDULER_GRPC_TLS_KEY ${needed}`,
      `SVC_SCHEDULER_GRPC_TLS_CA ${needed}`,
    ]);
    expect(faultsOf({ ...enabled, ...files })).toEqual([]);
  });

  test.each([
    ["CERT", join(folder, "missing.pem"), "cannot be read (ENOENT)"],
    ["CERT", files.SVC_SCHEDULER_GRPC_TLS_KEY, "must contain a certificate in PEM form"],
    ["CA", files.SVC_SCHEDULER_GRPC_TLS_KEY, "must contain a certificate in PEM form"],
    ["KEY", files.SVC_SCHEDULER_GRPC_TLS_CERT, "must contain a private key in PEM form"],
    ["KEY", file("other.pem", authority.key), "must be the key of the certificate"],
  ])("refuse a bad %s file", (part, path, message) => {
    const name = `SVC_SCHEDULER_GRPC_TLS_${part}`;
    expect(faultsOf({ ...enabled, ...files, [name]: path })).toEqual([`${name} ${message}`]);
  });

  test("allow plain text only in the environment dev", () => {
    const insecure = { ...enabled, SVC_SCHEDULER_GRPC_INSECURE: "true" };
    const refused = ["SVC_SCHEDULER_GRPC_INSECURE must not be true unless SVC_ENVIRONMENT is dev"];
    expect(faultsOf(insecure)).toEqual(refused);
    expect(faultsOf({ ...insecure, SVC_ENVIRONMENT: "development" })).toEqual(refused);
    expect(faultsOf({ ...insecure, SVC_ENVIRONMENT: "dev" })).toEqual([]);
  });

  test("need names where a list is required", () => {
    const required = { ...enabled, ...files, SVC_SCHEDULER_GRPC_REQUIRE_ALLOWLIST: "true" };
    expect(faultsOf(required)).toEqual([
      "SVC_SCHEDULER_GRPC_ALLOWED_CNS must list names when SVC_SCHEDULER_GRPC_REQUIRE_ALLOWLIST is true",
    ]);
    expect(faultsOf({ ...required, SVC_SCHEDULER_GRPC_ALLOWED_CNS: "a,b" })).toEqual([]);
  });

  test("read bindings from JSON", () => {
    const name = "SVC_SCHEDULER_GRPC_CN_PROJECT_BINDINGS";
    const bindings = { "scheduler-1": ["shop", "mail"], other: [] };
    expect(load({ [name]: JSON.stringify(bindings) })[name]).toEqual(bindings);
    for (const wrong of ["shop", "[]", '{"a": "shop"}', '{"a": [1]}'])
      expect(faultsOf({ [name]: wrong })).toHaveLength(1);
  });

  test.each([
    ["SVC_SCHEDULER_GRPC_BIND_PORT", "0"],
    ["SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_CAPACITY", "0"],
    ["SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_PER_SECOND", "0"],
    ["SVC_SCHEDULER_GRPC_WATCH_MAX_CONCURRENT", "0"],
    ["SVC_SCHEDULER_GRPC_WATCH_MAX_PER_CERT", "0"],
    ["SVC_SCHEDULER_GRPC_WATCH_POLL_SECONDS", "5.1"],
    ["SVC_SCHEDULER_GRPC_WATCH_GRACE_SECONDS", "-1"],
  ])("refuse %s=%s", (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });
});

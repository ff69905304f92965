import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { checkSchedulerSettings, grpcTarget, schedulerSettings } from "./settings.ts";

const files = {
  SVC_SCHEDULER_TLS_CERT: "cert.pem",
  SVC_SCHEDULER_TLS_KEY: "key.pem",
  SVC_SCHEDULER_TLS_CA: "ca.pem",
};
const usable = {
  ...(Value.Create(schedulerSettings) as object),
  ...files,
  SVC_ENVIRONMENT: "production",
  SVC_SCHEDULER_BRAIN_GRPC_URL: "svc.example.org:7701",
};

function faultsOf(given: Record<string, unknown>): string[] {
  const faults: string[] = [];
  checkSchedulerSettings({ ...usable, ...given }, (name) => faults.push(name));
  return faults;
}

describe("the settings of the scheduler", () => {
  test("have the documented defaults", () => {
    expect(Value.Create(schedulerSettings)).toMatchObject({
      SVC_SCHEDULER_BIND_HOST: "127.0.0.1",
      SVC_SCHEDULER_BIND_PORT: 7800,
      SVC_SCHEDULER_RECONCILE_INTERVAL_SECONDS: 900,
      SVC_SCHEDULER_MISSED_AFTER_SECONDS: 60,
      SVC_SCHEDULER_FIRE_TIMEOUT_SECONDS: 10,
      SVC_SCHEDULER_FIRE_RETRY_MAX: 3,
      SVC_SCHEDULER_FIRE_RETRY_BACKOFF_SECONDS: 1,
      SVC_SCHEDULER_GRPC_KEEPALIVE_SECONDS: 30,
      SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS: 30,
      SVC_SCHEDULER_LEADER_BACKEND: "single",
      SVC_SCHEDULER_LEADER_NAMESPACE: "svc-scheduler-global",
      SVC_SCHEDULER_LEADER_HEARTBEAT_SECONDS: 2,
    });
    expect(faultsOf({})).toEqual([]);
  });

  test.each([
    ["no address", { SVC_SCHEDULER_BRAIN_GRPC_URL: undefined }, ["SVC_SCHEDULER_BRAIN_GRPC_URL"]],
    [
      "an address without a port",
      { SVC_SCHEDULER_BRAIN_GRPC_URL: "svc.example.org" },
      ["SVC_SCHEDULER_BRAIN_GRPC_URL"],
    ],
    ["no certificate", { SVC_SCHEDULER_TLS_CERT: undefined }, ["SVC_SCHEDULER_TLS_CERT"]],
    ["no key", { SVC_SCHEDULER_TLS_KEY: undefined }, ["SVC_SCHEDULER_TLS_KEY"]],
    ["no authority", { SVC_SCHEDULER_TLS_CA: undefined }, ["SVC_SCHEDULER_TLS_CA"]],
    ["plain text in production", { SVC_SCHEDULER_INSECURE_GRPC: true }, ["SVC_SCHEDULER_INSECURE_GRPC"]],
    [
      "plain text in development",
      { SVC_SCHEDULER_INSECURE_GRPC: true, SVC_ENVIRONMENT: "development" },
      ["SVC_SCHEDULER_INSECURE_GRPC"],
    ],
    ["open metrics", { SVC_SCHEDULER_BIND_HOST: "0.0.0.0" }, ["SVC_SCHEDULER_METRICS_AUTH_TOKEN"]],
    ["open metrics on IPv6", { SVC_SCHEDULER_BIND_HOST: "::" }, ["SVC_SCHEDULER_METRICS_AUTH_TOKEN"]],
    ["no database for locks", { SVC_SCHEDULER_LEADER_BACKEND: "postgres" }, ["SVC_SCHEDULER_LEADER_PG_DSN"]],
    [
      "another database for locks",
      { SVC_SCHEDULER_LEADER_BACKEND: "postgres_per_project", SVC_SCHEDULER_LEADER_PG_DSN: "sqlite:///svc.db" },
      ["SVC_SCHEDULER_LEADER_PG_DSN"],
    ],
  ])("are refused with %s", (_what, given, names) => {
    expect(faultsOf(given)).toEqual(names);
  });

  test.each([
    [
      "plain text in dev, without files",
      { SVC_ENVIRONMENT: "dev", SVC_SCHEDULER_INSECURE_GRPC: true, SVC_SCHEDULER_TLS_CA: undefined },
    ],
    ["open metrics in dev", { SVC_ENVIRONMENT: "dev", SVC_SCHEDULER_BIND_HOST: "0.0.0.0" }],
    [
      "metrics with a token",
      { SVC_SCHEDULER_BIND_HOST: "0.0.0.0", SVC_SCHEDULER_METRICS_AUTH_TOKEN: "0123456789abcdef" },
    ],
    ["metrics on loopback", { SVC_SCHEDULER_BIND_HOST: "::1" }],
    ["an open address without metrics", { SVC_SCHEDULER_BIND_HOST: "0.0.0.0", SVC_SCHEDULER_METRICS_ENABLED: false }],
    [
      "locks in PostgreSQL",
      { SVC_SCHEDULER_LEADER_BACKEND: "postgres", SVC_SCHEDULER_LEADER_PG_DSN: "postgresql://db.example.org/svc" },
    ],
  ])("are accepted with %s", (_what, given) => {
    expect(faultsOf(given)).toEqual([]);
  });
});

test.each([
  ["svc.example.org:7701", "svc.example.org:7701"],
  ["https://svc.example.org:7701", "svc.example.org:7701"],
  ["https://svc.example.org:443/", "svc.example.org:443"],
  ["grpcs://10.0.0.5:7701", "10.0.0.5:7701"],
  ["[::1]:7701", "[::1]:7701"],
  ["localhost:80", "localhost:80"],
  ["svc.example.org", null],
  ["https://svc.example.org:7701/path", null],
  ["https://user@svc.example.org:7701", null],
  ["ftp://svc.example.org:21", null],
  ["", null],
])("the address %s connects to %s", (url, target) => {
  expect(grpcTarget(url)).toBe(target);
});

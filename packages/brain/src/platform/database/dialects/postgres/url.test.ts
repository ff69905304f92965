import { describe, expect, test } from "vitest";
import { checkDatabaseUrl } from "../../settings.ts";
import { connectionConfig } from "./pool.ts";

const place = "postgres://ann:hush@db.example.org/svc";
const local = "postgres://ann:hush@localhost/svc";

function faultsOf(url: string, settings: Record<string, unknown> = {}): string[] {
  const faults: string[] = [];
  checkDatabaseUrl({ SVC_DATABASE_URL: url, SVC_REQUIRE_DB_SSL: true, ...settings }, (_name, message) =>
    faults.push(message),
  );
  return faults;
}
const configOf = (url: string) =>
  connectionConfig({
    url,
    poolSize: 1,
    maxOverflow: 0,
    statementTimeoutMs: 1000,
    lockTimeoutMs: 1000,
    idleInTransactionMs: 1000,
    inactiveConnectionSeconds: 1,
    requireTls: true,
  });

describe("the URL of a server database", () => {
  test.each([
    "?sslmode=disable",
    "?sslmode=require&sslmode=disable",
    "?sslmode=no-verify",
    "?ssl=false",
    "?ssl=0",
    "?uselibpqcompat=true&sslmode=require",
    "?options=-c%20statement_timeout%3D0",
    "?host=elsewhere.example.org",
    "?host=%2Frun%2Fpostgresql&host=elsewhere.example.org",
  ])("is refused with %s, without its secrets", (query) => {
    const faults = faultsOf(place + query);
    expect(faults).toHaveLength(1);
    expect(faults[0]).not.toMatch(/ann|hush|example/);
    expect(() => configOf(place + query)).toThrow(faults[0]);
  });

  test("of this host may not lead elsewhere", () => {
    expect(faultsOf(`${local}?host=elsewhere.example.org`)).toHaveLength(1);
  });

  test.each(["", "?sslmode=require", "?sslmode=verify-full", "?application_name=x"])(
    "of another host is taken with '%s', over TLS",
    (query) => {
      expect(faultsOf(place + query)).toEqual([]);
      expect(configOf(place + query).ssl).toBe(true);
    },
  );

  test.each([
    local,
    `${local}?sslmode=disable`,
    "postgres://ann:hush@%2Frun%2Fpostgresql/svc",
    `${local}?host=/run/pg`,
  ])("of this host needs no TLS: %s", (url) => {
    expect(faultsOf(url)).toEqual([]);
    expect(configOf(url).ssl).toBeUndefined();
  });

  test("may turn TLS off where it is not required, as in exactly dev", () => {
    const url = `${place}?sslmode=disable`;
    expect(faultsOf(url, { SVC_REQUIRE_DB_SSL: false })).toEqual([]);
    expect(faultsOf(url, { SVC_ENVIRONMENT: "dev" })).toEqual([]);
    expect(faultsOf(url, { SVC_ENVIRONMENT: "development" })).toHaveLength(1);
  });
});

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { platformChecks, platformSettings } from "./settings/platform-settings.ts";
import { loadSettings, SettingsError, type SettingsFault } from "./settings.ts";

const feature = Type.Object({
  SVC_EVENT_RETENTION_DAYS: Type.Integer({ default: 30, minimum: 1, maximum: 3650, description: "days" }),
  SVC_BULK_RETRY_SCAN_SECONDS: Type.Number({ default: 1, minimum: 0.1, maximum: 60 }),
  SVC_REDACTION_EXTRA_KEY_PATTERNS: Type.Array(Type.String(), { default: [] }),
  SVC_AUDIT_RETENTION_BY_CLASS: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), { default: {} }),
  SVC_AUDIT_HEAD_EXPORT_INTERVAL_SECONDS: Type.Union(
    [Type.Integer({ minimum: 0, maximum: 0 }), Type.Integer({ minimum: 60, maximum: 604_800 })],
    { default: 0 },
  ),
  SVC_MAIL_URL: Type.Optional(Type.String()),
  SVC_DATABASE_URL: Type.String({ default: "sqlite:///$HOME/svc.db" }),
});
const fragments = [...platformSettings, feature] as const;

let folder = "";
let home = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"));
  home = join(folder, "home");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(env: Record<string, string> = {}, mint = true) {
  const alsoKnown = new Set(["SVC_TOKEN"]);
  return loadSettings({
    fragments,
    alsoKnown,
    checks: platformChecks,
    env: { SVC_HOME: home, ...env },
    cwd: folder,
    mint,
  });
}

function inHome(name: string, text: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, name), text, { mode: 0o600 });
}

function faultsOf(run: () => unknown): readonly SettingsFault[] {
  try {
    run();
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe("sources", () => {
  test("the environment wins over ./.env, that over config.env, that over secret.env, that over the default", () => {
    const name = "SVC_EVENT_RETENTION_DAYS";
    expect(load().values[name]).toBe(30);
    inHome("secret.env", `${name}=1\n`);
    expect(load().values[name]).toBe(1);
    inHome("config.env", `${name}=2`);
    expect(load().values[name]).toBe(2);
    writeFileSync(join(folder, ".env"), `${name}=3`);
    expect(load()).toMatchObject({ values: { [name]: 3 } });
    const last = load({ [name]: "4" });
    expect(last.values[name]).toBe(4);
    expect(last.sources.get(name)).toBe("environment");
    expect(last.sources.get("SVC_BULK_RETRY_SCAN_SECONDS")).toBe("default");
  });

  test("a blank value counts as not set", () => {
    inHome("config.env", "SVC_EVENT_RETENTION_DAYS=7\n");
    expect(load({ SVC_EVENT_RETENTION_DAYS: " " }).values.SVC_EVENT_RETENTION_DAYS).toBe(7);
  });

  test("$HOME in a default is the home directory, and ~ the user's own", () => {
    expect(load().values.SVC_DATABASE_URL).toBe(`sqlite:///${home}/svc.db`);
    expect(load({ SVC_HOME: "./state" }).home).toBe(join(folder, "state"));
  });

  test("SVC_HOME below a file is one fault that names the file", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    for (const below of [file, join(file, "home"), join(file, "a/b")]) {
      expect(faultsOf(() => load({ SVC_HOME: below }))).toEqual([
        { name: "SVC_HOME", source: "environment", message: `cannot be ${below}: ${file} is not a directory` },
      ]);
    }
  });

  test.runIf(process.platform === "linux")("SVC_HOME where no directory can be made is a fault, soon", () => {
    for (const nowhere of ["/proc/nope", "/proc/nope/deeper"]) {
      const message = `cannot be ${nowhere}: the directory cannot be created or written (ENOENT)`;
      expect(faultsOf(() => load({ SVC_HOME: nowhere }))).toEqual([
        { name: "SVC_HOME", source: "environment", message },
      ]);
    }
  });

  test("SVC_HOME is made with all that is missing above it, for its owner alone", () => {
    home = join(folder, "a", "b", "c");
    load();
    for (const made of [join(folder, "a"), home]) expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  test("SVC_HOME cannot be moved from inside itself", () => {
    inHome("config.env", "SVC_HOME=/elsewhere\n");
    expect(faultsOf(() => load())).toMatchObject([{ name: "SVC_HOME", message: "cannot be set inside SVC_HOME" }]);
  });

  test("quotes, comments and export are read as shells write them", () => {
    inHome(
      "config.env",
      `# mail\nexport SVC_MAIL_URL="smtp://a:b#c@mail" # relay\nSVC_REDACTION_EXTRA_KEY_PATTERNS='["a,b"]'\n`,
    );
    const { values } = load();
    expect(values.SVC_MAIL_URL).toBe("smtp://a:b#c@mail");
    expect(values.SVC_REDACTION_EXTRA_KEY_PATTERNS).toEqual(["a,b"]);
  });
});

describe("values", () => {
  test("numbers, booleans, lists and maps are read by their schema", () => {
    const { values } = load({
      SVC_BULK_RETRY_SCAN_SECONDS: "0.5",
      SVC_LOG_JSON: "off",
      SVC_TRUSTED_PROXIES: "10.0.0.0/8, ::1,",
      SVC_CORS_ORIGINS: '["https://a.example"]',
      SVC_AUDIT_RETENTION_BY_CLASS: '{"auth":10}',
    });
    expect(values).toMatchObject({
      SVC_BULK_RETRY_SCAN_SECONDS: 0.5,
      SVC_LOG_JSON: false,
      SVC_TRUSTED_PROXIES: ["10.0.0.0/8", "::1"],
      SVC_CORS_ORIGINS: ["https://a.example"],
      SVC_AUDIT_RETENTION_BY_CLASS: { auth: 10 },
    });
  });

  test("every fault is reported at once, with its source and without its value", () => {
    inHome("config.env", "SVC_NOT_A_SETTING=hunter2\nthis is no line\nSVC_LOG_LEVEL=info\nSVC_LOG_LEVEL=warn\n");
    const faults = faultsOf(() =>
      load({
        SVC_EVENT_RETENTION_DAYS: "0",
        SVC_BIND_PORT: "70000",
        SVC_LOG_JSON: "perhaps",
        SVC_TRUSTED_PROXIES: "10.0.0.0/8,hunter2",
        SVC_SECRET: "hunter2",
        SVC_OPENAPI_VISIBILITY: "hunter2",
        SVC_PUBLIC_URL: "http://svc.example.org",
      }),
    );
    expect(faults.map(({ name, message }) => [name, message])).toEqual(
      expect.arrayContaining([
        ["SVC_NOT_A_SETTING", "is not a known setting"],
        ["line 2", "must be NAME=value"],
        ["SVC_LOG_LEVEL", "is set twice"],
        ["SVC_EVENT_RETENTION_DAYS", "must be 1 to 3650"],
        ["SVC_BIND_PORT", "must be 1 to 65535"],
        ["SVC_LOG_JSON", "must be true or false"],
        ["SVC_TRUSTED_PROXIES", "entry 2 must be an address or a CIDR range"],
        ["SVC_SECRET", "must have at least 32 bytes"],
        ["SVC_OPENAPI_VISIBILITY", "must be one of public, private, disabled"],
        ["SVC_PUBLIC_URL", "must be https (or set SVC_ALLOW_HTTP_PUBLIC_URL=true)"],
      ]),
    );
    expect(faults).toHaveLength(10);
    expect(JSON.stringify(faults)).not.toContain("hunter2");
    expect(existsSync(join(home, "secret.env"))).toBe(false);
  });

  test("31 earlier secrets of the audit chain are accepted in addition to the current one, and no more", () => {
    const earlier = Array.from({ length: 32 }, (_, index) => `${index}`.padStart(32, "x"));
    const faultsWith = (secrets: string[]) =>
      faultsOf(() => load({ SVC_AUDIT_CHAIN_PREVIOUS_SECRETS: secrets.join() })).map(({ name }) => name);
    expect(faultsWith(earlier.slice(1))).toEqual([]);
    expect(faultsWith(earlier)).toEqual(["SVC_AUDIT_CHAIN_PREVIOUS_SECRETS"]);
  });

  test("an unknown name in the environment only warns, once", () => {
    const loaded = load({ SVC_LOG_LEVLE: "debug", SVC_FOREIGN: "x" });
    expect(loaded.values.SVC_LOG_LEVEL).toBe("info");
    expect(loaded.warnings).toEqual([
      "SVC_LOG_LEVLE in the environment is not a known setting; did you mean SVC_LOG_LEVEL?",
      "SVC_FOREIGN in the environment is not a known setting",
    ]);
  });

  test("a setting may have two ranges", () => {
    const interval = (text: string) => () => load({ SVC_AUDIT_HEAD_EXPORT_INTERVAL_SECONDS: text });
    expect(interval("0")().values.SVC_AUDIT_HEAD_EXPORT_INTERVAL_SECONDS).toBe(0);
    expect(interval("60")().values.SVC_AUDIT_HEAD_EXPORT_INTERVAL_SECONDS).toBe(60);
    expect(faultsOf(interval("59"))).toMatchObject([{ message: "must be 0 or 60 to 604800" }]);
  });

  test("an unknown name in a file stops the start and names the nearest setting", () => {
    inHome("config.env", "SVC_LOG_LEVLE=debug\nSVC_SCHEDULER_BIND_PORT=1\n");
    expect(faultsOf(() => load())).toEqual([
      {
        name: "SVC_LOG_LEVLE",
        source: join(home, "config.env"),
        message: "is not a known setting; did you mean SVC_LOG_LEVEL?",
      },
      { name: "SVC_SCHEDULER_BIND_PORT", source: join(home, "config.env"), message: "is not a known setting" },
    ]);
    expect(existsSync(join(home, "secret.env"))).toBe(false);
  });

  test("names that other programs read are accepted in files, and so is what is no setting at all", () => {
    inHome("config.env", "SVC_TOKEN=abc\nPATH=/bin\n");
    expect(load().warnings).toEqual([]);
  });

  test.each([
    ["https://svc.example.org", {}, true],
    ["http://svc.example.org", { SVC_ALLOW_HTTP_PUBLIC_URL: "true" }, true],
    ["http://svc.example.org", { SVC_ENVIRONMENT: "dev" }, true],
    ["http://svc.example.org", { SVC_ENVIRONMENT: "Dev" }, false],
    ["http://127.0.0.1:7700", {}, true],
    ["http://[::1]:7700", {}, true],
    ["https://svc.example.org/base", {}, false],
    ["https://user:pass@svc.example.org", {}, false],
    ["ftp://svc.example.org", {}, false],
  ])("PUBLIC_URL %s with %o is accepted: %s", (url, env, accepted) => {
    const names = faultsOf(() => load({ SVC_PUBLIC_URL: url, ...env })).map((fault) => fault.name);
    expect(names).toEqual(accepted ? [] : ["SVC_PUBLIC_URL"]);
  });

  test("the largest page may be smaller than the default one", () => {
    expect(load({ SVC_REST_MAX_PAGE_SIZE: "20" }).values).toMatchObject({ SVC_REST_MAX_PAGE_SIZE: 20 });
  });
});

describe("the first start", () => {
  test("makes the home directory and mints absent masters with narrow modes, once", () => {
    const first = load();
    expect(first.minted).toEqual(["SVC_SECRET", "SVC_SESSION_SECRET", "SVC_AUDIT_CHAIN_SECRET"]);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, "secret.env")).mode & 0o777).toBe(0o600);
    expect(Buffer.from(first.values.SVC_SECRET, "base64url")).toHaveLength(48);
    expect(
      new Set([first.values.SVC_SECRET, first.values.SVC_SESSION_SECRET, first.values.SVC_AUDIT_CHAIN_SECRET]).size,
    ).toBe(3);
    const second = load();
    expect(second.minted).toEqual([]);
    expect(second.values.SVC_SECRET).toBe(first.values.SVC_SECRET);
  });

  test("mints only what no source sets, and keeps the file's other lines", () => {
    inHome("secret.env", "SVC_METRICS_AUTH_TOKEN=abcdefghijklmnop");
    const given = "s".repeat(32);
    const loaded = load({ SVC_SECRET: given });
    expect(loaded.minted).toEqual(["SVC_SESSION_SECRET", "SVC_AUDIT_CHAIN_SECRET"]);
    expect(loaded.values.SVC_SECRET).toBe(given);
    expect(loaded.values.SVC_METRICS_AUTH_TOKEN).toBe("abcdefghijklmnop");
  });

  test("two processes that mint at once agree: the first line of a name counts", () => {
    const own = load().values.SVC_SECRET;
    const path = join(home, "secret.env");
    writeFileSync(path, `${readFileSync(path, "utf8")}SVC_SECRET=${"x".repeat(64)}\n`);
    expect(load().values.SVC_SECRET).toBe(own);
  });

  test("without minting nothing is written", () => {
    expect(load({}, false).values.SVC_SECRET).toBe("");
    expect(existsSync(home)).toBe(false);
  });

  test("a secret file that others may read is corrected, with a warning, unless nothing may be written", () => {
    load();
    const path = join(home, "secret.env");
    chmodSync(path, 0o644);
    expect(load({}, false).warnings).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(load().warnings).toEqual([`secret.env in ${home} could be read by other users of this machine; corrected`]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(load().warnings).toEqual([]);
  });

  test("a program in the home stays executable, and one warning names at most five files", () => {
    load();
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    for (const name of names) inHome(name, "");
    for (const name of names) chmodSync(join(home, name), 0o755);
    expect(load().warnings).toEqual([
      `a, b, c, d, e and 2 more in ${home} could be read by other users of this machine; corrected`,
    ]);
    expect(statSync(join(home, "a")).mode & 0o777).toBe(0o700);
  });
});

describe("rows for people", () => {
  test("mask secrets and name the source, and reveal on demand only", () => {
    const loaded = load({ SVC_MAIL_URL: "smtp://u:p@mail" });
    const row = (name: string) => loaded.rows().find((candidate) => candidate.name === name);
    expect(row("SVC_SECRET")).toMatchObject({ value: "***", source: join(home, "secret.env") });
    expect(row("SVC_MAIL_URL")).toMatchObject({ value: "***", source: "environment" });
    expect(row("SVC_METRICS_AUTH_TOKEN")).toMatchObject({ value: null, source: "unset" });
    expect(row("SVC_BIND_PORT")).toMatchObject({ value: 7700, source: "default" });
    expect(JSON.stringify(loaded.rows())).not.toContain(loaded.values.SVC_SECRET);
    const revealed = loaded.rows({ revealSecrets: true }).find(({ name }) => name === "SVC_SECRET");
    expect(revealed?.value).toBe(loaded.values.SVC_SECRET);
  });

  test("a setting declared by two features is a mistake of the programmer", () => {
    expect(() => loadSettings({ fragments: [feature, feature], env: { SVC_HOME: home }, cwd: folder })).toThrow(
      "two features",
    );
  });
});

import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { enrollSecondFactor, freePort } from "@svc/testkit";
import { startTestBrain, type TestBrain, type TestRole, testPassword } from "@svc/testkit/brain";
import { builtProgram } from "@svc/testkit/built-program";
import { waitFor } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { svc } from "./in-process.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

const email = "operator@example.org";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startTestBrain();
});
afterAll(() => brain?.stop());

/** A home with `svc`. `piped` runs it in its own process, which reads standard input. */
async function setUp() {
  const home = await scratchFolder();
  const env = { SVC_HOME: home, SVC_BRAIN_URL: brain.url };
  return {
    home,
    file: join(home, "session.json"),
    env,
    run: (args: readonly string[], more: Record<string, string> = {}) => svc(args, { ...env, ...more }),
    async piped(args: readonly string[], input: string, more: Record<string, string> = {}) {
      const started = startSvc(args, { cwd: home, env: { ...env, ...more }, input });
      const code = await started.ended;
      return { code, ...started.written };
    },
    saved: async () => JSON.parse(await readFile(join(home, "session.json"), "utf8")),
  };
}

const cookieOf = ({ cookies }: { cookies: Record<string, string> }) => ({
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join("; "),
});

describe("svc login", () => {
  test("stores the session readable by its owner only, and uses it until svc logout", async () => {
    const { piped, run, saved, file, home } = await setUp();
    const { code, out, err } = await piped(["login", email, "--stdin"], `${testPassword}\n`);

    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^signed in to ${brain.url} as ${email}\\. The session ends at 20`));
    expect(err).toContain(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(home)).toEqual(["session.json"]);
    const session = await saved();
    expect(session).toEqual({
      brain_url: brain.url,
      email,
      cookies: { svc_session: expect.any(String), svc_csrf: expect.any(String), svc_device: expect.any(String) },
    });
    expect(JSON.stringify([out, err, session])).not.toContain(testPassword);
    expect(out + err).not.toContain(session.cookies.svc_session);

    expect((await run(["tasks", "list", "--json"])).code).toBe(0);
    expect((await run(["tasks", "list"], { SVC_BRAIN_URL: "" })).code).toBe(0);
    expect((await brain.as.anonymous.get("/auth/me", cookieOf(session))).status).toBe(200);

    expect(await run(["logout"])).toEqual({ code: 0, out: `signed ${email} out of ${brain.url}\n`, err: "" });
    expect(await readdir(home)).toEqual([]);
    expect((await brain.as.anonymous.get("/auth/me", cookieOf(session))).status).toBe(401);
    expect(await run(["logout"])).toEqual({ code: 0, out: "", err: "svc: not signed in\n" });
  });

  test("ends the previous session and prints the new one as JSON", async () => {
    const { run, saved, home } = await setUp();
    const passwordFile = join(home, "password");
    await writeFile(passwordFile, `${testPassword}\nsecond line\n`);
    const login = () => run(["login", email, "--json", "--remember"], { SVC_PASSWORD_FILE: passwordFile });
    const first = await login();
    expect(first.err).toBe("");
    expect(JSON.parse(first.out)).toEqual({
      brain_url: brain.url,
      email,
      idle_expires_at: null,
      expires_at: expect.any(String),
    });
    const before = await saved();
    expect((await login()).code).toBe(0);
    expect((await brain.as.anonymous.get("/auth/me", cookieOf(before))).status).toBe(401);
    expect((await brain.as.anonymous.get("/auth/me", cookieOf(await saved()))).status).toBe(200);
  });

  test.each([
    [email, "wrong wrong wrong"],
    ["unknown@example.org", testPassword],
  ])("exits with 6 for wrong credentials of %s, and stores nothing", async (who, password) => {
    const { run, home } = await setUp();
    const passwordFile = join(await scratchFolder(), "password");
    await writeFile(passwordFile, password);
    const { code, err } = await run(["login", who], { SVC_PASSWORD_FILE: passwordFile });
    expect(code).toBe(6);
    expect(err).toMatch(/^svc: authentication is required\n {5}wrong email or password/);
    expect(err).not.toContain(password);
    expect(await readdir(home)).toEqual([]);
  });

  test("requires an address, a password and a readable file", async () => {
    const { piped, run, home } = await setUp();
    expect(await piped(["login", "--stdin"], testPassword)).toMatchObject({ code: 2 });
    expect(await piped(["login", email, "--stdin"], "\n")).toMatchObject({ code: 2 });
    expect(await piped(["login", email], testPassword)).toMatchObject({
      code: 2,
      err: expect.stringContaining("Use --stdin or SVC_PASSWORD_FILE"),
    });
    expect(await run(["login", email], { SVC_PASSWORD_FILE: join(home, "none") })).toMatchObject({
      code: 3,
      err: expect.stringContaining(`SVC_PASSWORD_FILE: cannot read ${join(home, "none")} (ENOENT)`),
    });
  });

  test("exits with 4 without a service", async () => {
    const { run, home } = await setUp();
    const passwordFile = join(await scratchFolder(), "password");
    await writeFile(passwordFile, testPassword);
    const away = `http://127.0.0.1:${await freePort()}`;
    const { code, err } = await run(["login", email, "--brain", away], { SVC_PASSWORD_FILE: passwordFile });
    expect({ code, err }).toEqual({ code: 4, err: `svc: can't reach ${away}: connection refused\n` });
    expect(await readdir(home)).toEqual([]);
  });
});

describe("svc login with a second factor", () => {
  test("accepts its code, and stores nothing without a correct one", async () => {
    const member = await brain.addMember("ann", "operator");
    const factor = await enrollSecondFactor(member);
    const { piped, run, home } = await setUp();
    const login = (code: string) => piped(["login", "ann@example.org", "--stdin"], `${testPassword}\n${code}\n`);
    const sessions = async () => (await member.get("/auth/sessions")).body.items.length;
    const before = await sessions();

    expect(await login("")).toMatchObject({ code: 6, err: expect.stringContaining("the second line of --stdin") });
    const wrong = await login("000000");
    expect(wrong).toMatchObject({ code: 6, err: expect.stringContaining("wrong code of the second factor") });
    expect(await readdir(home)).toEqual([]);
    expect(await sessions()).toBe(before);

    expect(await login(factor.code())).toMatchObject({ code: 0 });
    expect((await run(["tasks", "list"])).code).toBe(0);
  });

  const hasScript = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") === true;

  test.runIf(hasScript)("asks on a terminal without echoing the password, and again after a wrong code", async () => {
    const factor = await enrollSecondFactor(await brain.addMember("ben", "operator"));
    const { home, env, saved } = await setUp();
    const terminal = spawn("script", ["-qefc", `${process.execPath} ${builtProgram} login`, "/dev/null"], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void terminal.kill("SIGKILL"));
    let shown = "";
    terminal.stdout.on("data", (chunk) => {
      shown += chunk;
    });
    const ended = new Promise((resolve) => terminal.once("close", resolve));
    const answer = async (question: string, text: string) => {
      await waitFor(() => expect(shown).toContain(question));
      shown = shown.replace(question, "");
      terminal.stdin.write(`${text}\r`);
    };

    await answer("Email address at", "ben@example.org");
    await answer("Password: ", testPassword);
    await answer("Code of the second factor: ", "000000");
    await answer("Code of the second factor: ", factor.code());

    expect(await ended).toBe(0);
    expect(shown).toContain("Wrong code.");
    expect(shown).not.toContain(testPassword);
    expect((await saved()).email).toBe("ben@example.org");
  });
});

describe("a stored session", () => {
  /** A session as `svc login` stores it. Signing in for every test would reach the rate limit. */
  async function signedIn(role: TestRole = "operator") {
    const place = await setUp();
    const pairs = brain.as[role].cookie.split("; ").map((pair) => pair.split("=") as [string, string]);
    const session = { brain_url: brain.url, email: `${role}@example.org`, cookies: Object.fromEntries(pairs) };
    await writeFile(place.file, JSON.stringify(session), { mode: 0o600 });
    return place;
  }

  test("that other users can read is not used, and svc logout ends it", async () => {
    const { run, saved, file } = await signedIn("auditor");
    await chmod(file, 0o640);
    expect(await run(["tasks", "list"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("is readable by other users"),
    });
    const session = await saved();
    expect((await run(["logout"])).code).toBe(0);
    expect((await brain.as.anonymous.get("/auth/me", cookieOf(session))).status).toBe(401);
  });

  test("is not sent to another service", async () => {
    const { run } = await signedIn();
    const other = brain.url.replace("127.0.0.1", "localhost");
    const { code, err } = await run(["tasks", "list", "--brain", other]);
    expect({ code, err }).toEqual({
      code: 6,
      err: `svc: ${email} is signed in at ${brain.url}, not at ${other}. Run svc login\n`,
    });
  });

  test("that the service has ended is reported with instructions", async () => {
    const { run, saved, file } = await signedIn();
    const session = await saved();
    await writeFile(file, JSON.stringify({ ...session, cookies: { svc_session: "planted.planted" } }), { mode: 0o600 });
    const { code, err } = await run(["tasks", "list", "--project", "shop"]);
    expect({ code, err }).toEqual({
      code: 6,
      err: "svc: authentication is required\n     the session has expired. Run svc login\n",
    });
    expect((await run(["logout"])).code).toBe(0);
  });

  test("that is invalid exits with 3 without printing the file", async () => {
    const { run, file } = await setUp();
    await writeFile(file, "planted", { mode: 0o600 });
    const { code, err } = await run(["tasks", "list"]);
    expect(code).toBe(3);
    expect(err).not.toContain("planted");
  });

  test("is deleted even if its service is unreachable, which exits with 4", async () => {
    const { run, saved, file, home } = await signedIn();
    const away = `http://127.0.0.1:${await freePort()}`;
    await writeFile(file, JSON.stringify({ ...(await saved()), brain_url: away }), { mode: 0o600 });
    expect(await run(["logout"])).toMatchObject({
      code: 4,
      err: expect.stringContaining("the session was deleted here, but it is still valid at the service"),
    });
    expect(await readdir(home)).toEqual([]);
  });

  test("ignores the working folder", async () => {
    const { home, env } = await signedIn();
    const folder = join(home, "cloned");
    await mkdir(folder);
    await writeFile(join(folder, ".env"), "SVC_HOME=/nowhere\nSVC_BRAIN_URL=https://evil.example.org\n");
    const { SVC_BRAIN_URL: _, ...rest } = env;
    const started = startSvc(["tasks", "list"], { cwd: folder, env: rest });
    expect(await started.ended).toBe(0);
  });
});

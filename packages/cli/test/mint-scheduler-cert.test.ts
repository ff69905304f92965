import { X509Certificate } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { svc } from "./in-process.ts";
import { scratchFolder } from "./svc-process.ts";

describe("svc mint-scheduler-cert", () => {
  test("writes a certificate and its key, with an authority when there is none", async () => {
    const home = await scratchFolder();
    const env = { SVC_HOME: home };
    const folder = join(home, "scheduler-pki");
    const first = await svc(["mint-scheduler-cert", "--name", "scheduler-1", "--json"], env);
    expect([first.code, first.err]).toEqual([0, ""]);
    const document = JSON.parse(first.out);
    expect(document).toEqual({
      name: "scheduler-1",
      certificate: join(folder, "scheduler-1.pem"),
      key: join(folder, "scheduler-1.key"),
      authority: join(folder, "ca.pem"),
      is_new_authority: true,
      expires_at: expect.stringMatching(/^\d{4}-/),
      projects: [],
    });
    expect(statSync(document.key).mode & 0o777).toBe(0o600);
    const authority = new X509Certificate(readFileSync(document.authority));
    const certificate = new X509Certificate(readFileSync(document.certificate));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.subject).toBe("CN=scheduler-1");

    const second = await svc(["mint-scheduler-cert", "--name", "brain.example.org", "--validity-days", "30"], env);
    expect(second.out).toBe(
      [
        `certificate  ${join(folder, "brain.example.org.pem")}`,
        `key          ${join(folder, "brain.example.org.key")}`,
        `authority    ${join(folder, "ca.pem")}`,
        `expires      ${second.out.slice(-25, -1)}`,
        "",
      ].join("\n"),
    );
  });

  test("prints the setting that limits it to projects, and writes to the given folder", async () => {
    const cwd = await scratchFolder();
    const folder = join(cwd, "certificates");
    const args = ["--name", "s1", "--project", "shop", "--project", "mail", "--out-dir", folder];
    const { code, out, err } = await svc(["mint-scheduler-cert", ...args], {}, { cwd });
    expect(code).toBe(0);
    expect(out).toContain(`authority    ${join(folder, "ca.pem")} (new)`);
    expect(err).toContain('SVC_SCHEDULER_GRPC_CN_PROJECT_BINDINGS={"s1":["shop","mail"]}\n');
  });

  test("refuses what it cannot issue, with the exit code of the reason", async () => {
    const home = await scratchFolder();
    const mint = (...args: string[]) => svc(["mint-scheduler-cert", ...args], { SVC_HOME: home });
    expect((await mint("--name", "s1")).code).toBe(0);
    const refused = async (code: number, message: string, ...args: string[]) => {
      const ran = await mint(...args);
      expect([ran.code, ran.out]).toEqual([code, ""]);
      expect(ran.err).toContain(message);
    };
    await refused(2, "missing --name");
    await refused(2, "--name: a name has", "--name", "../s2");
    await refused(2, "--validity-days must be a whole number from 1 to 3650", "--name", "s2", "--validity-days", "0");
    await refused(2, '"No" is not a project slug', "--name", "s2", "--project", "No");
    await refused(6, "Choose another --name or --out-dir, or use --replace", "--name", "s1");
    const key = readFileSync(join(home, "scheduler-pki", "s1.key"), "utf8");
    expect((await mint("--name", "s1", "--replace")).code).toBe(0);
    expect(readFileSync(join(home, "scheduler-pki", "s1.key"), "utf8")).not.toBe(key);
    writeFileSync(join(home, "file"), "");
    await refused(1, `cannot write to ${join(home, "file")}`, "--name", "s2", "--out-dir", join(home, "file"));
    writeFileSync(join(home, "scheduler-pki", "ca.pem"), "damaged");
    await refused(1, "the authority cannot be used", "--name", "s2");
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TlsMember, TlsTexts } from "@svc/protocol";
import { useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  authority,
  certificateFor,
  type SchedulerClient,
  schedulerClient,
  serverTls,
  startSchedulerGrpc,
} from "../../../../test/schedulers/scheduler-fixture.ts";
import { judgeNames } from "../access/caller.ts";
import { readTlsFiles } from "../settings.ts";
import { statusCodes } from "../status-codes.ts";
import { createAuthority, type IssuedCertificate } from "./certificate.ts";

const opened = useTestDatabase("sqlite");
const other = createAuthority({ name: "other authority", now: new Date(), validityDays: 1 });
const unavailable = { code: statusCodes.UNAVAILABLE };
let folder: string;
let lines: string[];
let server: Awaited<ReturnType<typeof startSchedulerGrpc>>;
let port: number;
const clients: SchedulerClient[] = [];

const pathOf = (member: TlsMember) => join(folder, `${member}.pem`);
function write(texts: Partial<TlsTexts>): void {
  for (const [member, text] of Object.entries(texts)) writeFileSync(pathOf(member as TlsMember), text);
}

/** A new connection with a certificate of this authority, which must also have issued the server's. */
function clientOf(issuer: IssuedCertificate): SchedulerClient {
  const client = schedulerClient(port, certificateFor("scheduler-1", issuer), issuer.certificate);
  clients.push(client);
  return client;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-replacement-"));
  write(serverTls());
  lines = [];
  server = await startSchedulerGrpc(opened, { logged: (line) => void lines.push(line) });
  const listener = await server.grpc.listen({
    host: "127.0.0.1",
    port: 0,
    tls: readTlsFiles({
      SVC_SCHEDULER_GRPC_TLS_CERT: pathOf("certificate"),
      SVC_SCHEDULER_GRPC_TLS_KEY: pathOf("key"),
      SVC_SCHEDULER_GRPC_TLS_CA: pathOf("authority"),
    }),
    judge: judgeNames({ allowed: [], requiresList: false, bindings: {} }),
  });
  port = listener.port;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe("replaced certificate files of the listener", () => {
  test("are used for new connections, while open ones stay", async () => {
    const open = clientOf(authority);
    await open.ping();
    await expect(clientOf(other).ping()).rejects.toMatchObject(unavailable);
    write(serverTls(other));
    server.grpc.reloadCertificates();
    await clientOf(other).ping();
    await open.ping();
    await expect(clientOf(authority).ping()).rejects.toMatchObject(unavailable);
    server.grpc.reloadCertificates();
    expect(lines).toEqual([expect.stringContaining('"event":"scheduler_grpc.certificates_replaced"')]);
  });

  test("may trust two authorities while schedulers change from one to the other", async () => {
    write({ authority: `${authority.certificate}${other.certificate}` });
    server.grpc.reloadCertificates();
    for (const issuer of [authority, other]) {
      const client = schedulerClient(port, certificateFor("scheduler-1", issuer));
      clients.push(client);
      await client.ping();
    }
  });

  test.each<[string, () => void, string]>([
    ["a missing file", () => rmSync(pathOf("key")), "SVC_SCHEDULER_GRPC_TLS_KEY cannot be read (ENOENT)"],
    [
      "a certificate without its key",
      () => write({ certificate: serverTls(other).certificate }),
      "SVC_SCHEDULER_GRPC_TLS_KEY must be the key of the certificate",
    ],
    [
      "a half-written authority",
      () => write({ authority: `${authority.certificate}${other.certificate.slice(0, 300)}` }),
      "SVC_SCHEDULER_GRPC_TLS_CA must contain a certificate in PEM form",
    ],
    ["an empty key", () => write({ key: "" }), "SVC_SCHEDULER_GRPC_TLS_KEY must contain a private key in PEM form"],
  ])("change nothing with %s, and one warning says so", async (_name, damage, reason) => {
    damage();
    server.grpc.reloadCertificates();
    server.grpc.reloadCertificates();
    await clientOf(authority).ping();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: "warn",
        event: "scheduler_grpc.certificates_rejected",
        reason: `${reason}. The previous certificates stay in use.`,
      }),
    ]);
    write(serverTls(other));
    server.grpc.reloadCertificates();
    await clientOf(other).ping();
    damage();
    server.grpc.reloadCertificates();
    expect(lines).toHaveLength(3);
  });
});

test("a listener does not open without usable certificates", async () => {
  rmSync(pathOf("certificate"));
  const listening = server.grpc.listen({
    host: "127.0.0.1",
    port: 0,
    tls: readTlsFiles({
      SVC_SCHEDULER_GRPC_TLS_CERT: pathOf("certificate"),
      SVC_SCHEDULER_GRPC_TLS_KEY: pathOf("key"),
      SVC_SCHEDULER_GRPC_TLS_CA: pathOf("authority"),
    }),
    judge: judgeNames({ allowed: [], requiresList: false, bindings: {} }),
  });
  await expect(listening).rejects.toThrow("SVC_SCHEDULER_GRPC_TLS_CERT cannot be read (ENOENT)");
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { expect, onTestFinished, test } from "vitest";
import { createAuthority } from "../../src/features/scheduler-grpc/certificates/certificate.ts";
import { authority, certificateFor, schedulerClient, serverTls } from "../schedulers/scheduler-fixture.ts";

test("a service uses replaced certificate files of its settings without a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-certificates-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (texts: ReturnType<typeof serverTls>) => {
    for (const [member, text] of Object.entries(texts)) writeFileSync(join(folder, member), text);
  };
  write(serverTls());
  const port = await freePort();
  const brain = await startTestBrain({
    env: {
      SVC_SCHEDULER_GRPC_ENABLED: "true",
      SVC_SCHEDULER_GRPC_BIND_PORT: String(port),
      SVC_SCHEDULER_GRPC_TLS_CERT: join(folder, "certificate"),
      SVC_SCHEDULER_GRPC_TLS_KEY: join(folder, "key"),
      SVC_SCHEDULER_GRPC_TLS_CA: join(folder, "authority"),
    },
  });
  onTestFinished(() => brain.stop());
  const ping = async (issuer: typeof authority) => {
    const client = schedulerClient(port, certificateFor("scheduler-1", issuer), issuer.certificate);
    await client.ping().finally(() => client.close());
  };
  await ping(authority);

  const other = createAuthority({ name: "other authority", now: new Date(), validityDays: 1 });
  write(serverTls(other));
  await brain.runLoop("scheduler-grpc.reload_certificates");

  await ping(other);
  await expect(ping(authority)).rejects.toThrow("UNAVAILABLE");
});

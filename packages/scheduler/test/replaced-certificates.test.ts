import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Brain } from "../src/brain/brain.ts";
import { openCertificates } from "../src/brain/certificates.ts";
import { connectBrain } from "../src/brain/grpc-brain.ts";
import { SchedulerSettingsError } from "../src/index.ts";
import { authority, schedulerCertificate, schedulerKey, strangerCertificate, strangerKey } from "./certificates.ts";
import { startGrpcService } from "./grpc-service.ts";
import { createSimulatedClock } from "./simulated/clock.ts";

let folder: string;
let lines: string[];
const cleanUps: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-replaced-"));
  lines = [];
});
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
  rmSync(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(file(name), text);

const settings = () => ({
  SVC_SCHEDULER_TLS_CERT: file("cert"),
  SVC_SCHEDULER_TLS_KEY: file("key"),
  SVC_SCHEDULER_TLS_CA: file("ca"),
});

function logTo(): Parameters<typeof openCertificates>[0]["log"] {
  const write = (event: string, fields = {}) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  return { debug: write, info: write, warn: write, error: write };
}

async function service(given: Parameters<typeof startGrpcService>[0] = {}) {
  const started = await startGrpcService(given);
  cleanUps.push(started.stop);
  return started;
}

/** A connection whose files are read again as the clock advances. */
function connect(port: number) {
  const clock = createSimulatedClock("2026-03-01T00:00:00Z");
  const tls = openCertificates({ settings: settings(), clock, log: logTo() });
  const brain = connectBrain({ target: `localhost:${port}`, tls, keepaliveMs: 10_000, maxBackoffMs: 100 });
  cleanUps.push(() => brain.close());
  return { brain, reload: () => clock.advance(10_000) };
}

/** Repeats the call while the connection is set up again. */
async function reached(brain: Brain): Promise<void> {
  await expect.poll(() => brain.ping(5000), { timeout: 60_000 }).toMatchObject({ brain_version: "1.0.0" });
}

describe("replaced certificate files of a scheduler", () => {
  test("are used for the next connection", async () => {
    const { port } = await service();
    write("cert", strangerCertificate);
    write("key", strangerKey);
    write("ca", strangerCertificate);
    const { brain, reload } = connect(port);
    await expect(brain.ping(5000)).rejects.toThrow("UNAVAILABLE");
    write("cert", schedulerCertificate);
    write("key", schedulerKey);
    write("ca", `${strangerCertificate}\n${authority}`);
    await reload();
    await reached(brain);
    await reload();
    expect(lines).toEqual(["scheduler.certificates.replaced {}"]);
  });

  test("change nothing while they are damaged, and one warning says so", async () => {
    const first = await service();
    write("cert", schedulerCertificate);
    write("key", schedulerKey);
    write("ca", authority);
    const { brain, reload } = connect(first.port);
    await brain.ping(5000);
    write("key", strangerKey);
    write("ca", authority.slice(0, 200));
    await reload();
    await reload();
    first.stop();
    await service({ port: first.port });
    await reached(brain);
    expect(lines).toEqual([
      `scheduler.certificates.rejected ${JSON.stringify({
        reason:
          "SVC_SCHEDULER_TLS_CA must contain a certificate in PEM form; SVC_SCHEDULER_TLS_KEY must be the key of the certificate. The previous certificates stay in use.",
      })}`,
    ]);
  });

  test("are not read any more after the connection is closed", async () => {
    write("cert", schedulerCertificate);
    write("key", schedulerKey);
    write("ca", authority);
    const { brain, reload } = connect(1);
    brain.close();
    write("key", "");
    await reload();
    expect(lines).toEqual([]);
  });

  test("must be correct at the start", () => {
    write("cert", schedulerCertificate);
    write("key", strangerKey);
    const open = () =>
      openCertificates({ settings: settings(), clock: createSimulatedClock("2026-03-01T00:00:00Z"), log: logTo() });
    expect(open).toThrow(SchedulerSettingsError);
    expect(open).toThrow(
      "SVC_SCHEDULER_TLS_CA cannot be read (ENOENT)\nSVC_SCHEDULER_TLS_KEY must be the key of the certificate",
    );
  });
});

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cadenceFingerprint } from "@svc/cadence";
import { timestampOf } from "@svc/protocol";
import { createFakeClock, freePort } from "@svc/testkit";
import { useTestDatabase } from "@svc/testkit/databases";
import { afterEach, describe, expect, test } from "vitest";
import { scheduleRow } from "../../../../test/rows/schedule-rows.ts";
import {
  accepted,
  authority,
  certificateFor,
  fireOf,
  type GrpcOptions,
  plainClient,
  schedulerClient,
  startSchedulerGrpc,
} from "../../../../test/schedulers/scheduler-fixture.ts";
import { type FireAnswer, type FireRequest, InvalidFireRequest } from "../../fires/index.ts";
import { createAuthority } from "../certificates/certificate.ts";
import { statusCodes } from "../status-codes.ts";
import { judgePlainText } from "./caller.ts";

const opened = useTestDatabase("sqlite");
const started: { stop(): Promise<void> }[] = [];

async function start(options?: GrpcOptions) {
  const server = await startSchedulerGrpc(opened, options);
  started.push(server);
  return server;
}

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

describe("a certificate", () => {
  test("of the authority is accepted, whatever its name", async () => {
    const clock = createFakeClock();
    const server = await start({ clock });
    expect(await server.client().ping()).toEqual({
      brain_version: "1.2.3",
      brain_time: timestampOf(clock.now()),
      contract_version: 1,
      cadence_fingerprint: cadenceFingerprint,
    });
  });

  test("of another authority is refused", async () => {
    const other = createAuthority({ name: "other", now: new Date(), validityDays: 1 });
    const server = await start();
    await expect(server.client(certificateFor("scheduler-1", other)).ping()).rejects.toMatchObject({
      code: statusCodes.UNAVAILABLE,
    });
  });

  test("is required", async () => {
    const server = await start();
    await expect(server.client(null).ping()).rejects.toMatchObject({ code: statusCodes.UNAVAILABLE });
  });

  test("must be listed by its common name or a DNS name when there is a list", async () => {
    const server = await start({ names: { allowed: ["scheduler-1", "b.example.org"] } });
    await server.client(certificateFor("scheduler-1")).ping();
    await server.client(certificateFor("other", undefined, ["a.example.org", "b.example.org"])).ping();
    const refused = server.client(certificateFor("other", undefined, ["a.example.org"]));
    await expect(refused.ping()).rejects.toMatchObject({ code: statusCodes.UNAUTHENTICATED });
    const stream = refused.watch();
    await expect(stream.next()).rejects.toMatchObject({ code: statusCodes.UNAUTHENTICATED });
    expect(server.refused[0]).toEqual({
      action: "schedules.access.unauth",
      target_type: "schedule",
      target_id: null,
      project_id: null,
      result: "failed",
      outcome: "deny",
      source_ip: "127.0.0.1",
      metadata: { certificate: null, reason: "name_not_allowed" },
    });
  });

  test("cannot hide a listed name in another one", async () => {
    const server = await start({ names: { allowed: ["scheduler-1"] } });
    const client = server.client(certificateFor("other", undefined, ["a.example.org, DNS:scheduler-1"]));
    await expect(client.ping()).rejects.toMatchObject({ code: statusCodes.UNAUTHENTICATED });
  });

  test("is refused by an empty list when a list is required", async () => {
    const server = await start({ names: { requiresList: true } });
    await expect(server.client().ping()).rejects.toMatchObject({ code: statusCodes.UNAUTHENTICATED });
  });
});

describe("a listener", () => {
  test("names its address when another process uses it, and can be opened again when it was closed", async () => {
    const server = await start();
    const again = () => server.grpc.listen({ host: "127.0.0.1", port: server.port, tls: null, judge: judgePlainText });
    await expect(again()).rejects.toThrow(`cannot listen for schedulers on 127.0.0.1:${server.port} (EADDRINUSE)`);
    const other = await start();
    await other.grpc.stop();
    const reopened = await server.grpc.listen({
      host: "127.0.0.1",
      port: other.port,
      tls: null,
      judge: judgePlainText,
    });
    expect(reopened.port).toBe(other.port);
    await reopened.close();
  });

  test("of the settings has their certificates", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-grpc-"));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const port = await freePort();
    const own = certificateFor("localhost", undefined, ["localhost"]);
    try {
      const server = await start({
        settings: {
          SVC_SCHEDULER_GRPC_ENABLED: true,
          SVC_SCHEDULER_GRPC_BIND_PORT: port,
          SVC_SCHEDULER_GRPC_TLS_CERT: file("cert.pem", own.certificate),
          SVC_SCHEDULER_GRPC_TLS_KEY: file("key.pem", own.key),
          SVC_SCHEDULER_GRPC_TLS_CA: file("ca.pem", authority.certificate),
          SVC_SCHEDULER_GRPC_ALLOWED_CNS: ["scheduler-1"],
        },
      });
      const [listed, unlisted] = ["scheduler-1", "scheduler-2"].map((name) =>
        schedulerClient(port, certificateFor(name)),
      );
      await listed?.ping();
      await expect(unlisted?.ping()).rejects.toMatchObject({ code: statusCodes.UNAUTHENTICATED });
      for (const client of [listed, unlisted]) client?.close();
      await server.grpc.stop();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("in plain text asks for no certificate, and limits its callers together", async () => {
    const server = await start({ settings: { SVC_SCHEDULER_GRPC_WATCH_MAX_PER_CERT: 1 } });
    const { port } = await server.grpc.listen({ host: "127.0.0.1", port: 0, tls: null, judge: judgePlainText });
    const [first, second] = [plainClient(port), plainClient(port)];
    await first.ping();
    const stream = first.watch();
    await stream.next();
    await expect(second.watch().next()).rejects.toMatchObject({ code: statusCodes.RESOURCE_EXHAUSTED });
    first.close();
    second.close();
  });
});

describe("a call", () => {
  test.each([
    ["fire", { schedule_id: "1" }, "schedule_id is not a UUID"],
    ["fire", { fire_id: "x" }, "fire_id is not a UUID"],
    ["fire", { scheduled_for: null }, "scheduled_for is missing"],
    ["fire", { scheduled_for: { seconds: 1e15, nanos: 0 } }, "scheduled_for is out of range"],
    ["fire", { prepared_next_run_at: { seconds: -1e10, nanos: 0 } }, "prepared_next_run_at is out of range"],
    ["fire", { revision: -1 }, "revision is not a revision"],
    ["fire", { control_token: "x".repeat(201) }, "control_token must have at most 200 characters"],
    ["fire", { definition_digest: "\0" }, "definition_digest must not contain NUL"],
    ["advance", { skipped_through: null }, "skipped_through is missing"],
    [
      "advance",
      { skipped_through: { seconds: 1, nanos: 0 }, skipped_count: 10_001 },
      "skipped_count must be at most 10000",
    ],
    ["acknowledge", { status: 0 }, "status is not a result"],
    ["quarantine", { reason_code: "" }, "reason_code must not be empty"],
    ["quarantine", { reason_code: "x".repeat(65) }, "reason_code must have at most 64 characters"],
    ["quarantine", { reason_code: "x", detail: "x".repeat(1025) }, "detail must have at most 1024 characters"],
  ] as const)("%s is refused with %o", async (name, given, details) => {
    const server = await start();
    await expect(server.client()[name](fireOf(given))).rejects.toMatchObject({
      code: statusCodes.INVALID_ARGUMENT,
      details,
    });
    expect(server.refused).toMatchObject([{ action: "schedules.access.invalid", metadata: { reason: details } }]);
    expect(server.fired).toEqual([]);
  });

  test("passes a fire on as it was sent", async () => {
    const server = await start();
    const sent = fireOf({ missed: true, prepared_next_run_at: null });
    await server.client().fire(sent);
    expect(server.fired).toEqual([
      {
        scheduleId: sent.schedule_id,
        fireId: sent.fire_id,
        scheduledFor: new Date("2026-01-01T00:00:00Z"),
        controlToken: "ct",
        definitionDigest: "d",
        revision: 1,
        expectedNextRunAt: new Date("2026-01-01T00:00:00Z"),
        preparedNextRunAt: null,
        cadenceFingerprint: "f",
        isMissed: true,
      },
    ]);
  });

  test("with many fires answers each in its place, whatever happens to the others", async () => {
    const fire = async ({ controlToken, scheduleId }: FireRequest): Promise<FireAnswer> => {
      if (controlToken === "wrong") throw new InvalidFireRequest("the fire belongs to another slot");
      if (controlToken === "lost") throw Object.assign(new Error("connection lost"), { code: "08006" });
      return { ...accepted, commandId: scheduleId };
    };
    const server = await start({ fires: { fire } });
    const sent = [
      fireOf(),
      fireOf({ control_token: "wrong" }),
      fireOf({ control_token: "lost" }),
      fireOf({ fire_id: "x" }),
      fireOf(),
    ];
    const { results } = await server.client().fireMany({ fires: sent });
    const invalid = { code: statusCodes.INVALID_ARGUMENT };
    expect(results).toMatchObject([
      { answer: { disposition: "ACCEPTED", command_id: sent[0]?.schedule_id } },
      { refusal: { ...invalid, message: "the fire belongs to another slot" } },
      { answer: { disposition: "RETRY" } },
      { refusal: { ...invalid, message: "fire_id is not a UUID" } },
      { answer: { disposition: "ACCEPTED", command_id: sent[4]?.schedule_id } },
    ]);
    expect(server.refused).toMatchObject([
      { action: "schedules.access.invalid", metadata: { reason: "fire_id is not a UUID" } },
      { action: "schedules.access.invalid", metadata: { reason: "the fire belongs to another slot" } },
    ]);
  });

  test("with many fires is refused as a whole when it has too many", async () => {
    const server = await start();
    const fires = Array.from({ length: 251 }, () => fireOf());
    await expect(server.client().fireMany({ fires })).rejects.toMatchObject({
      code: statusCodes.INVALID_ARGUMENT,
      details: "fires must have at most 250 entries",
    });
    expect(server.fired).toEqual([]);
    expect((await server.client().fireMany({ fires: fires.slice(1) })).results).toHaveLength(250);
  });

  test("with many fires returns as many current schedules as fit, and asks to repeat the others", async () => {
    const live = scheduleRow({ project_id: randomUUID(), args: JSON.stringify(["x".repeat(60_000)]), kwargs: "{}" });
    const server = await start({ fires: { fire: async () => ({ ...accepted, disposition: "STALE_CONTROL", live }) } });
    const { results } = await server.client().fireMany({ fires: Array.from({ length: 20 }, () => fireOf()) });
    const dispositions = results.map(({ answer }: { answer: { disposition: string } }) => answer.disposition);
    expect(dispositions).toEqual([...Array(12).fill("STALE_CONTROL"), ...Array(8).fill("RETRY")]);
    expect(results[19].answer).toMatchObject({ live: null, error_code: "answer_too_large" });
  });

  test("that contradicts a stored fire is invalid", async () => {
    const fire = () => Promise.reject(new InvalidFireRequest("the fire belongs to another slot"));
    const server = await start({ fires: { fire } });
    await expect(server.client().fire(fireOf())).rejects.toMatchObject({ code: statusCodes.INVALID_ARGUMENT });
    expect(server.refused).toMatchObject([{ action: "schedules.access.invalid" }]);
  });

  test("for a schedule that does not exist is answered as stale, and recorded", async () => {
    const server = await start({
      fires: {
        fire: async () => ({
          disposition: "STALE_CONTROL",
          commandId: null,
          isBuffered: false,
          lastRunAt: null,
          nextRunAt: null,
          totalRuns: 0,
          live: null,
          errorCode: null,
          errorMessage: null,
        }),
        advance: async () => ({ disposition: "ADVANCE_STALE_CONTROL", nextRunAt: null, live: null }),
      },
      quarantine: async () => ({ outcome: "NOT_FOUND", revision: 0 }),
    });
    const client = server.client();
    const request = fireOf();
    expect(await client.fire(request)).toMatchObject({ disposition: "STALE_CONTROL", live: null });
    const skipped = { skipped_through: timestampOf(new Date()), skipped_count: 1 };
    expect(await client.advance({ ...request, ...skipped })).toMatchObject({ disposition: "ADVANCE_STALE_CONTROL" });
    expect(await client.quarantine({ ...request, reason_code: "x" })).toMatchObject({
      outcome: "QUARANTINE_NOT_FOUND",
    });
    const row = { action: "schedules.access.not_found", target_id: request.schedule_id };
    expect(server.refused).toMatchObject([row, row, row]);
  });

  test("is retried by the scheduler when the database is in trouble", async () => {
    const trouble = () => Promise.reject(Object.assign(new Error("connection lost"), { code: "08006" }));
    const server = await start({ fires: { fire: trouble, advance: trouble } });
    const client = server.client();
    expect(await client.fire(fireOf())).toMatchObject({ disposition: "RETRY" });
    const skipped = { skipped_through: timestampOf(new Date()), skipped_count: 1 };
    await expect(client.advance({ ...fireOf(), ...skipped })).rejects.toMatchObject({ code: statusCodes.UNAVAILABLE });
  });

  test("that fails otherwise reports no details", async () => {
    const server = await start({ fires: { fire: () => Promise.reject(new Error("secret")) } });
    await expect(server.client().fire(fireOf())).rejects.toMatchObject({
      code: statusCodes.INTERNAL,
      details: "internal error",
    });
    expect(server.errors.splice(0)).toEqual([expect.stringContaining("secret")]);
  });
});

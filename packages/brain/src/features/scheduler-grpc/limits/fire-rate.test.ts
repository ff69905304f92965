import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, describe, expect, test } from "vitest";
import { certificateFor, fireOf, startSchedulerGrpc } from "../../../../test/schedulers/scheduler-fixture.ts";
import { statusCodes } from "../status-codes.ts";
import { createFireRate } from "./fire-rate.ts";

for (const dialect of testDialects) {
  describe(`the fires of a certificate on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock();
    const create = (capacity: number, perSecond: number) =>
      createFireRate({ database: opened.database, clock }, { capacity, perSecond });
    const taken = async (rate: ReturnType<typeof create>, certificate: string, count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => rate.take(certificate)));
      return answers.filter(Boolean).length;
    };
    const tokensOf = async (certificate: string) => {
      const { database } = opened;
      const query = database.read.selectFrom("scheduler_rate_buckets").select("tokens");
      return (await query.where("certificate", "=", certificate).executeTakeFirstOrThrow()).tokens;
    };

    test("are limited to the capacity and then to the refill", async () => {
      const rate = create(250, 10);
      expect(await taken(rate, "a", 300)).toBe(250);
      clock.advance(1000);
      expect(await taken(rate, "a", 50)).toBe(10);
      clock.advance(3_600_000);
      expect(await taken(rate, "a", 300)).toBe(250);
    });

    test("are counted apart from those of others", async () => {
      const rate = create(100, 1);
      expect(await taken(rate, "b", 200)).toBe(100);
      expect(await taken(rate, "c", 200)).toBe(100);
    });

    test("are counted across processes, in blocks of 100", async () => {
      const rates = [create(1000, 1), create(1000, 1)] as const;
      expect(await taken(rates[0], "d", 1)).toBe(1);
      expect(await tokensOf("d")).toBe(900);
      expect(await taken(rates[0], "d", 99)).toBe(99);
      expect(await tokensOf("d")).toBe(900);
      const both = await Promise.all(rates.map((rate) => taken(rate, "d", 1000)));
      expect(both[0]! + both[1]!).toBe(900);
    });

    test("ask an empty bucket again only after a pause", async () => {
      const rate = create(1, 1000);
      expect(await taken(rate, "e", 2)).toBe(1);
      clock.advance(49);
      expect(await rate.take("e")).toBe(false);
      clock.advance(1);
      expect(await rate.take("e")).toBe(true);
    });

    test("keep their tokens when a clock is behind", async () => {
      const rate = create(5, 1);
      expect(await taken(rate, "f", 3)).toBe(3);
      clock.setWall(new Date(clock.now().getTime() - 60_000));
      expect(await taken(rate, "f", 10)).toBe(2);
    });
  });
}

describe("the limit of fires", () => {
  const opened = useTestDatabase("sqlite");
  const started: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
  });
  async function start(isEnabled: boolean) {
    const server = await startSchedulerGrpc(opened, {
      clock: createFakeClock(),
      settings: {
        SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_ENABLED: isEnabled,
        SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_CAPACITY: 2,
        SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_PER_SECOND: 1,
      },
    });
    started.push(server);
    return server;
  }

  test("answers RESOURCE_EXHAUSTED to the certificate that exceeded it, for fires only", async () => {
    const server = await start(true);
    const client = server.client(certificateFor("busy"));
    for (let fire = 0; fire < 2; fire += 1) await client.fire(fireOf());
    await expect(client.fire(fireOf())).rejects.toMatchObject({ code: statusCodes.RESOURCE_EXHAUSTED });
    expect(server.fired).toHaveLength(2);
    expect(server.refused).toEqual([]);
    await client.ping();
    await server.client(certificateFor("calm")).fire(fireOf());
  });

  test("can be disabled", async () => {
    const server = await start(false);
    for (let fire = 0; fire < 3; fire += 1) await server.client(certificateFor("free")).fire(fireOf());
    expect(server.fired).toHaveLength(3);
  });
});

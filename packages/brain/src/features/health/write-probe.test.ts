import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWriteProbe, type WriteProbe } from "./write-probe.ts";

for (const dialect of testDialects) {
  describe(`the write probe on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let clock = createFakeClock();
    let logged: string[] = [];
    let probe: WriteProbe;

    const run = (statement: string) => opened.database.write((tx) => sql.raw(statement).execute(tx));
    const refuseWrites = async () => {
      if (dialect === "sqlite")
        return run("CREATE TRIGGER refuse BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'refused'); END");
      await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`);
      return run("CREATE TRIGGER refuse BEFORE INSERT ON meta FOR EACH ROW EXECUTE FUNCTION refuse()");
    };
    const takeWrites = () =>
      dialect === "sqlite" ? run("DROP TRIGGER IF EXISTS refuse") : run("DROP FUNCTION IF EXISTS refuse CASCADE");

    beforeEach(() => {
      clock = createFakeClock();
      logged = [];
      const note = (event: string) => void logged.push(event);
      probe = createWriteProbe({
        database: opened.database,
        clock,
        log: { warn: note, info: note },
        processId: "test",
      });
    });
    afterEach(takeWrites);

    test("counts as failing before its first round", async () => {
      expect(probe.fault()).toBe("write_probe_stale");
      await probe.run();
      expect(probe.fault()).toBeNull();
    });

    test("fails while the database refuses writes, is logged once, and recovers automatically", async () => {
      await probe.run();
      await refuseWrites();
      for (let round = 0; round < 3; round += 1) await probe.run();
      expect(probe.fault()).toBe("write_probe_failed");
      // Age does not clear the failure.
      clock.advance(60_000);
      expect(probe.fault()).toBe("write_probe_failed");
      await takeWrites();
      await probe.run();
      expect(probe.fault()).toBeNull();
      expect(logged).toEqual(["database.not_writable", "database.writable"]);
    });

    test("is stale when it is older than 30 s", async () => {
      await probe.run();
      clock.advance(30_000);
      expect(probe.fault()).toBeNull();
      clock.advance(1);
      expect(probe.fault()).toBe("write_probe_stale");
      await probe.run();
      expect(probe.fault()).toBeNull();
    });

    test("is stale, and starts no second write, while one waits", async () => {
      await probe.run();
      const other = await opened.openAgain();
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = other.write(async (tx) => {
        await tx.updateTable("meta").set({ value: "held" }).where("key", "=", "health.write_probe").execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const rounds = [probe.run(), probe.run()];
      clock.advance(30_001);
      expect(probe.fault()).toBe("write_probe_stale");
      release.resolve();
      await Promise.all([holding, ...rounds]);
      expect(probe.fault()).toBeNull();
      await other.close();
    });

    test("writes one row, whichever process writes it", async () => {
      for (const processId of ["a", "b"]) {
        const log = { warn() {}, info() {} };
        await createWriteProbe({ database: opened.database, clock, log, processId }).run();
      }
      const rows = await opened.database.read
        .selectFrom("meta")
        .select("value")
        .where("key", "=", "health.write_probe")
        .execute();
      expect(rows.map(({ value }) => JSON.parse(value))).toEqual([{ process: "b", at: clock.now().toISOString() }]);
    });
  });
}

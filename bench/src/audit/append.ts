import { randomUUID } from "node:crypto";
import { openAuditAlone } from "@svc/brain/audit-log";
import type { BrainDatabase } from "@svc/brain/storage";
import { benchProjectId, onDatabase, prepareStorage, withStorage } from "../harness/databases.ts";
import { medianOf, quantile } from "../harness/quantile.ts";
import { atLeast, atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";

/**
 * The cost of the chain: 50 parallel writers on PostgreSQL, each saving a view and its audit row in one transaction, against the same two
 * inserts without the chain. Both alternate, each round on the same database, with the service's default pool.
 */
const writers = 50;
const target = 0.5;
const waitLimitMs = 250;
const pool = { poolSize: 20, maxOverflow: 10 };
const userId = "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";

type Tx = Parameters<Parameters<BrainDatabase["write"]>[0]>[0];
type Action = (tx: Tx, entry: ReturnType<typeof entryOf>) => Promise<unknown>;

const entryOf = (id: string) => ({
  action: "saved_view.created",
  target_type: "saved_view",
  target_id: id,
  project_id: benchProjectId,
  user_id: userId,
  source_ip: "192.0.2.17",
  user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  metadata: { name: `view ${id}`, filters: 3 },
});

/** Writes the row like the chain, but unsigned, without the chain's state and lock. */
const unchained: Action = (tx, { metadata, ...entry }) =>
  tx
    .insertInto("audit_log")
    .values({
      ...entry,
      id: randomUUID(),
      result: "success",
      outcome: "allow",
      metadata: JSON.stringify(metadata),
      actor_ref: hex(),
      occurred_us: Date.now() * 1000,
      row_hmac: hex(),
      prev_row_hmac: hex(),
      hmac_version: 2,
      hmac_key_id: "0".repeat(64),
      chain_generation: userId,
      api_key_id: null,
      event_id: null,
      legacy_class: null,
    })
    .execute();

const hex = () => (randomUUID() + randomUUID()).replaceAll("-", "");

async function saveView(tx: Tx, id: string): Promise<void> {
  const now = new Date();
  const row = { id, user_id: userId, project_id: benchProjectId, name: id, filters: '{"state":["failed"]}' };
  await tx
    .insertInto("saved_views")
    .values({ ...row, created_at: now, updated_at: now })
    .execute();
}

/** Actions per second, and the time of each. */
async function run(database: BrainDatabase, action: Action, count: number) {
  let left = count;
  const took: number[] = [];
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (left > 0) {
        left -= 1;
        const id = randomUUID();
        const beganMs = performance.now();
        await database.write(async (tx) => {
          await saveView(tx, id);
          await action(tx, entryOf(id));
        });
        took.push(performance.now() - beganMs);
      }
    }),
  );
  return { rate: count / ((performance.now() - startedMs) / 1000), took };
}

const measure = (context: BenchContext): Promise<readonly BenchRow[]> =>
  onDatabase(context, "postgres", ({ databaseUrl }) =>
    withStorage(databaseUrl, (database) => measureOn(database, context), pool),
  );

async function measureOn(database: BrainDatabase, context: BenchContext): Promise<readonly BenchRow[]> {
  await prepareStorage(database);
  const { audit } = openAuditAlone(database, "bench-audit-secret-0123456789abcdefghij");
  await addUser(database);
  await audit.prepare();
  const chained: Action = (tx, entry) => audit.append(tx, entry);
  const count = context.mode === "quick" ? 1000 : 10_000;
  const rounds = context.mode === "quick" ? 2 : 5;
  const rates = { chained: [] as number[], unchained: [] as number[] };
  const took: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    context.signal.throwIfAborted();
    const without = await run(database, unchained, count);
    await database.write((tx) => tx.deleteFrom("audit_log").where("chain_generation", "=", userId).execute());
    const withChain = await run(database, chained, count);
    context.log(`round ${round}: ${Math.round(withChain.rate)} of ${Math.round(without.rate)} actions/s`);
    // The first round warms up.
    if (round === 0) continue;
    rates.chained.push(withChain.rate);
    rates.unchained.push(without.rate);
    took.push(...withChain.took);
  }
  const { outcome, rows } = await audit.verify();
  if (outcome !== "clean" || rows !== (rounds + 1) * count + 1)
    throw new Error(`the chain is ${outcome} at ${rows} rows`);
  return [
    atLeast(`${writers} writers, with against without the chain`, medianOf(rates.chained), "actions/s", {
      limit: medianOf(rates.unchained),
      target,
    }),
    atMost("an action with the chain, p99", quantile(took, 0.99), "ms", { stated: waitLimitMs }),
    note("an action with the chain, median", medianOf(took), "ms"),
  ];
}

async function addUser(database: BrainDatabase): Promise<void> {
  const now = new Date();
  const user = { id: userId, email: "a@example.org", email_key: "a@example.org", password_hash: "none" };
  await database.write((tx) =>
    tx
      .insertInto("users")
      .values({ ...user, is_admin: false, is_active: true, timezone: "UTC", created_at: now, updated_at: now } as never)
      .execute(),
  );
}

export const suite: BenchSuite = {
  name: "audit-append",
  about: "50 writers on PostgreSQL with the audit chain, against the same inserts without it",
  diskBytes: { quick: 5e8, standard: 1e9, full: 1e9 },
  run: measure,
};

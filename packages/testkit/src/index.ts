export { createFakeClock, type FakeClock } from "./fake-clock.ts";
export { freePort } from "./free-port.ts";
export { isEverything, shareOf } from "./matrix.ts";
export { type FaultyNetwork, startFaultyNetwork } from "./network-fault.ts";
export { enrollSecondFactor, type SecondFactor, totpCode } from "./service/second-factor.ts";
export {
  createTestDatabase,
  type DurablePostgres,
  type PostgresServer,
  startDurablePostgres,
  startPostgres,
  type TestDatabase,
} from "./services/postgres.ts";
export { type RedisServer, startRedis } from "./services/redis.ts";
export { type WaitOptions, waitFor } from "./wait-for.ts";

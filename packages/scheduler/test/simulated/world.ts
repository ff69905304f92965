import { compileCadence, slotsBetween } from "@svc/cadence";
import { Value } from "typebox/value";
import { runScheduler, type TickingSettings } from "../../src/scheduler.ts";
import { schedulerSettings } from "../../src/settings.ts";
import { createSimulatedClock } from "./clock.ts";
import { createFakeBrain } from "./fake-brain.ts";
import type { StoredSchedule } from "./fake-service.ts";
import { createLockServer } from "./lock-server.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export const defaultSettings = Value.Create(schedulerSettings) as TickingSettings;

export const minutes = (count: number): number => count * 60_000;

export type World = ReturnType<typeof createWorld>;

/** A service, a server for locks, and schedulers, all in simulated time. */
export function createWorld(start = "2026-03-01T05:59:30Z") {
  const clock = createSimulatedClock(start);
  const brain = createFakeBrain(clock);
  const locks = createLockServer();
  let started = 0;

  function startScheduler(settings: Partial<TickingSettings> = {}) {
    started += 1;
    const name = `scheduler ${started}`;
    const own = clock.ofProcess();
    const sessions = locks.ofProcess();
    const connection = brain.connect(name, own.clock);
    let isAlive = true;
    /** The calls of a killed process reach nothing. */
    const alive =
      <Arguments extends unknown[], Answer>(work: (...given: Arguments) => Promise<Answer>) =>
      (...given: Arguments): Promise<Answer> =>
        isAlive ? work(...given) : new Promise(() => {});
    const scheduler = runScheduler({
      settings: { ...defaultSettings, ...settings },
      brain: {
        ...connection,
        ping: alive(connection.ping),
        fire: alive(connection.fire),
        advance: alive(connection.advance),
        quarantine: alive(connection.quarantine),
      },
      clock: own.clock,
      log: silent,
      openLocks: sessions.open,
    });
    return {
      name,
      info: scheduler.info,
      faults: scheduler.faults,
      metrics: scheduler.metrics,
      stop: () => scheduler.stop(8000),
      /** Like kill -9: no code of it runs any more, and its sockets end. */
      kill(): void {
        isAlive = false;
        own.kill();
        sessions.kill();
      },
    };
  }

  /** Every slot of the schedule from `from` to now, both included. */
  function slotsUntilNow(schedule: StoredSchedule, from: number): readonly number[] {
    return slotsBetween(compileCadence(schedule), from - 1000, clock.now().getTime(), 1_000_000).slots;
  }

  return { clock, brain, locks, startScheduler, slotsUntilNow };
}

export const iso = (slots: readonly number[]): string[] => slots.map((slot) => new Date(slot).toISOString());

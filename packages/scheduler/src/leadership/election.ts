import { type SchedulerClock, wait } from "../clock.ts";
import { reasonOf, type SchedulerLog } from "../log.ts";
import type { Leadership } from "./leadership.ts";
import { lockKey } from "./lock-keys.ts";
import type { LockSession, OpenLockSession } from "./lock-session.ts";

/** Heartbeats that may be overdue before leadership ends without an answer of the database: after a pause of this process, for example. */
const overdueHeartbeats = 3;

/** Name of the one lock of all projects. */
const everything = "*";

export interface ElectionOptions {
  readonly open: OpenLockSession;
  readonly namespace: string;
  /** One lock per project instead of one for all. */
  readonly perProject: boolean;
  readonly projectIds: () => Iterable<string>;
  readonly heartbeatMs: number;
  readonly clock: SchedulerClock;
  readonly log: SchedulerLog;
  /** Counts events, so that their order is known. */
  nextEvent(): number;
  /** Called when leadership was gained or lost. */
  onChange(): void;
}

/** Leads what it holds the lock of. At each heartbeat it tries to take missing locks and confirms that its session is alive. */
export function startElection(options: ElectionOptions): Leadership {
  const { open, namespace, perProject, heartbeatMs, clock, log, onChange } = options;
  const ending = new AbortController();
  /** Held locks by name: `*` or a project. */
  const held = new Map<string, { readonly key: bigint; readonly since: number }>();
  let session: LockSession | null = null;
  let confirmedAtMs = 0;
  let awake = new AbortController();

  const isConfirmed = () => clock.monotonicMs() - confirmedAtMs <= overdueHeartbeats * heartbeatMs;

  function lose(): void {
    session = null;
    if (held.size === 0) return;
    held.clear();
    log.warn("scheduler.leadership.lost");
    onChange();
  }

  /** Opens a session whose end is the end of leadership, unless another one has replaced it. */
  async function openSession(): Promise<LockSession> {
    let opened: LockSession | null = null;
    opened = await open(() => {
      if (opened !== null && session === opened) lose();
    });
    return opened;
  }

  function wantedKeys(): Map<string, bigint> {
    if (!perProject) return new Map([[everything, lockKey(namespace)]]);
    return new Map([...options.projectIds()].map((id) => [id, lockKey(namespace, id)]));
  }

  async function beat(): Promise<void> {
    session ??= await openSession();
    const current = session;
    const wanted = wantedKeys();
    const missing = [...wanted].filter(([name]) => !held.has(name));
    const surplus = [...held].filter(([name]) => !wanted.has(name));
    const sentAtMs = clock.monotonicMs();
    const got = missing.length === 0 ? [] : await current.tryLock(missing.map(([, key]) => key));
    if (missing.length === 0) await current.confirm();
    if (session !== current) return;
    confirmedAtMs = sentAtMs;
    const gained = missing.filter(([, key]) => got.includes(key));
    const since = options.nextEvent();
    for (const [name, key] of gained) held.set(name, { key, since });
    for (const [name] of surplus) held.delete(name);
    if (surplus.length > 0) await current.unlock(surplus.map(([, { key }]) => key));
    if (gained.length === 0) return;
    log.info("scheduler.leadership.gained", perProject ? { projects: gained.length } : {});
    onChange();
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await beat();
      } catch (fault) {
        log.warn("scheduler.leadership.failed", { reason: reasonOf(fault) });
        const broken = session;
        lose();
        await broken?.close();
      }
      await wait(clock, heartbeatMs, awake.signal);
      if (!ending.signal.aborted) awake = new AbortController();
    }
  }
  const running = run();

  return {
    ledSince: (projectId) => (isConfirmed() ? (held.get(perProject ? projectId : everything)?.since ?? null) : null),
    isLeader: () => held.size > 0 && isConfirmed(),
    retry: () => awake.abort(),
    async stop() {
      ending.abort();
      awake.abort();
      await running;
      const last = session;
      session = null;
      held.clear();
      await last?.close();
    },
  };
}

/**
 * Background loops: a feature writes one `tick`, the platform owns interval, jitter, leadership, stop and the test signal.
 * Ticks of one loop never overlap; a tick that fails is logged and shown by a metric, and the loop continues.
 */
import type { Lease } from "./database/database.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** What a tick receives in addition to the dependencies of the loop. */
export interface TickContext {
  /** Aborted when the process stops; long ticks check it between batches. */
  signal: AbortSignal;
}

/**
 * A background loop as a value. `Deps` is what its tick needs (database, clock, config …), handed in once by the
 * composition root through `bindLoop`.
 */
export interface Loop<Deps = object> {
  /** `<feature>.<verb>`; also the lease and the metric label. */
  name: string;
  /** Milliseconds between the end of a tick and the next; a function of the dependencies where a setting decides. */
  everyMs: number | ((deps: Deps) => number);
  /** Milliseconds from the start of the process to the first tick, when it must not run immediately. */
  firstAfterMs?: number;
  /** True runs it in one replica only. */
  leaderOnly: boolean;
  /** True when a tick removes or ends something because of its age: it is skipped while the system clock is in doubt (retention.ts). */
  removesByAge?: boolean;
  /** One round. What it returns is logged at debug level. */
  tick(deps: Deps & TickContext): Promise<unknown>;
}

/** A loop with its dependencies. */
export interface BoundLoop {
  name: string;
  everyMs: number;
  firstAfterMs?: number;
  leaderOnly: boolean;
  removesByAge?: boolean;
  tick(context: TickContext): Promise<unknown>;
}

export function bindLoop<Deps extends object>(loop: Loop<Deps>, deps: Deps): BoundLoop {
  return {
    name: loop.name,
    everyMs: typeof loop.everyMs === "function" ? loop.everyMs(deps) : loop.everyMs,
    firstAfterMs: loop.firstAfterMs ?? 0,
    leaderOnly: loop.leaderOnly,
    removesByAge: loop.removesByAge ?? false,
    tick: (context) => loop.tick({ ...deps, ...context }),
  };
}

export interface LoopRunnerDeps {
  loops: readonly BoundLoop[];
  log: Log;
  metrics: Pick<Metrics, "gauge">;
  /** Takes the lease of a loop, or null while another process holds it. */
  acquireLeadership(name: string): Promise<Lease | null>;
}

/** Intervals vary by this share either way (jitter), so that replicas and loops do not synchronize. */
const jitterShare = 0.1;
const maxFirstDelayMs = 5000;

interface Running {
  loop: BoundLoop;
  lease: Lease | null;
  timer: NodeJS.Timeout | undefined;
  /** Woken since its last round began, so the next one is due at once. */
  isWoken: boolean;
  /** Tail of the chain of rounds: each waits for the one before. */
  round: Promise<unknown>;
}

export class LoopRunner {
  /** The loops that it runs, for tests that apply to every loop. */
  readonly loops: readonly BoundLoop[];
  readonly #deps: LoopRunnerDeps;
  readonly #failing: ReturnType<Metrics["gauge"]>;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new AbortController();
  #isStarted = false;

  constructor(deps: LoopRunnerDeps) {
    this.#deps = deps;
    this.loops = deps.loops;
    this.#failing = deps.metrics.gauge({
      name: "svc_background_task_error_active",
      aggregator: "max",
      help: "1 while the last run of a background loop failed",
      labels: ["task"],
    });
    for (const loop of deps.loops) {
      if (this.#running.has(loop.name)) throw new Error(`two loops are named ${loop.name}`);
      this.#running.set(loop.name, { loop, lease: null, timer: undefined, isWoken: false, round: Promise.resolve() });
      this.#failing.set({ task: loop.name }, 0);
    }
  }

  /** Starts the timers; the first tick of each loop comes after its `firstAfterMs` and within a tenth of its interval, at most 5 s. */
  start(): void {
    this.#isStarted = true;
    for (const entry of this.#running.values()) {
      const { everyMs, firstAfterMs = 0 } = entry.loop;
      this.#schedule(entry, firstAfterMs + Math.random() * Math.min(maxFirstDelayMs, everyMs * jitterShare));
    }
  }

  /**
   * The test signal: one round now, independent of timers, after a round in progress. Throws what the tick threw.
   * @returns what the tick returned; undefined when another process leads.
   */
  runOnce(name: string): Promise<unknown> {
    return this.#enqueue(this.#entryOf(name));
  }

  /** Brings the next round of a started loop forward to now, for loops that are also woken by a signal. */
  wake(name: string): void {
    const entry = this.#entryOf(name);
    entry.isWoken = true;
    if (this.#isStarted) this.#schedule(entry, 0);
  }

  /** Aborts running ticks, waits for them and gives leases back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const entries = [...this.#running.values()];
    for (const { timer } of entries) clearTimeout(timer);
    await Promise.all(entries.map(({ round }) => round));
    await Promise.allSettled(entries.map(({ lease }) => lease?.release()));
  }

  async #holdsLeadership(entry: Running): Promise<boolean> {
    if (!entry.loop.leaderOnly || entry.lease?.isHeld() === true) return true;
    entry.lease = await this.#deps.acquireLeadership(entry.loop.name);
    return entry.lease !== null;
  }

  async #runRound(entry: Running): Promise<unknown> {
    const { signal } = this.#stopping;
    const { name } = entry.loop;
    if (signal.aborted) return undefined;
    entry.isWoken = false;
    try {
      const result = (await this.#holdsLeadership(entry)) ? await entry.loop.tick({ signal }) : undefined;
      this.#failing.set({ task: name }, 0);
      if (result !== undefined) this.#deps.log.debug("loop.ticked", { task: name, result });
      return result;
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#failing.set({ task: name }, 1);
      this.#deps.log.error("loop.failed", { task: name, err: error });
      throw error;
    }
  }

  #enqueue(entry: Running): Promise<unknown> {
    const round = entry.round.then(() => this.#runRound(entry));
    entry.round = round.catch(() => undefined);
    return round;
  }

  #schedule(entry: Running, delayMs: number): void {
    clearTimeout(entry.timer);
    if (this.#stopping.signal.aborted) return;
    entry.timer = setTimeout(() => {
      this.#enqueue(entry)
        .catch(() => undefined)
        .then(() => this.#schedule(entry, entry.isWoken ? 0 : jittered(entry.loop.everyMs)));
    }, delayMs);
    entry.timer.unref();
  }

  #entryOf(name: string): Running {
    const entry = this.#running.get(name);
    if (entry === undefined) throw new Error(`no loop is named ${name}`);
    return entry;
  }
}

function jittered(ms: number): number {
  return ms * (1 - jitterShare + Math.random() * 2 * jitterShare);
}

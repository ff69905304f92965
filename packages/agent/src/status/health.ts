import { type Redactor, wireTimes } from "@svc/protocol";
import type { AdapterSnapshot, AgentLog, EngineAdapter } from "../adapter.ts";
import { type Clock, TimeoutError, within } from "../runtime/clock.ts";
import { createThrottledLog, reasonOf, type ThrottledLog } from "../runtime/log.ts";

const snapshotKeys = ["queue_depths", "queue_consumers", "queue_oldest", "queue_holds", "worker_details"] as const;
/** Keys that the brain reads for every engine. A failed provider reports its error under each. */
const providedKeys = ["queue_depths", "queue_consumers", "worker_details"] as const;
const maxRowsPerKey = 1_024;

export interface HealthDependencies {
  readonly engines: readonly EngineAdapter[];
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: AgentLog;
}

/**
 * Collects adapter_health for a heartbeat: `<engine>.<key>` to JSON text. Every adapter has 5 s. An adapter whose last snapshot is still
 * running is skipped.
 */
export class AdapterHealth {
  #dependencies: HealthDependencies;
  #sparse: ThrottledLog;
  #busy = new Set<EngineAdapter>();

  constructor(dependencies: HealthDependencies) {
    this.#dependencies = dependencies;
    this.#sparse = createThrottledLog(dependencies.log, dependencies.clock);
  }

  /** @param maxBytes limit for all values together. Leaves out the largest values until the rest fits. Never rejects. */
  async collect(maxBytes: number): Promise<Record<string, string>> {
    const parts = await Promise.all(this.#dependencies.engines.map((engine) => this.#ask(engine)));
    const health: Record<string, string> = Object.fromEntries(parts.flat());
    const bySize = Object.keys(health).sort((a, b) => sizeOf(health, b) - sizeOf(health, a));
    let totalBytes = bySize.reduce((sum, key) => sum + sizeOf(health, key), 0);
    for (const key of bySize) {
      if (totalBytes <= maxBytes) break;
      totalBytes -= sizeOf(health, key);
      delete health[key];
      this.#sparse("warn", `health ${key}`, "left out a health report larger than a frame", { key });
    }
    return health;
  }

  async #ask(engine: EngineAdapter): Promise<[key: string, json: string][]> {
    try {
      const snapshot = await within(this.#dependencies.clock, wireTimes.snapshotTimeoutMs, this.#snapshot(engine));
      const redacted = this.#dependencies.redactor.redactSnapshot({ ...bounded(snapshot) }) as AdapterSnapshot;
      return snapshotKeys
        .filter((key) => redacted[key] !== undefined)
        .map((key) => [`${engine.name}.${key}`, JSON.stringify(redacted[key]).toWellFormed()]);
    } catch (error) {
      const text = error instanceof TimeoutError ? "provider timed out" : "provider raised";
      this.#sparse("warn", `snapshot ${engine.name}`, text, { engine: engine.name, reason: reasonOf(error) });
      return providedKeys.map((key) => [`${engine.name}.${key}`, JSON.stringify({ error: text })]);
    }
  }

  async #snapshot(engine: EngineAdapter): Promise<AdapterSnapshot> {
    if (this.#busy.has(engine)) throw new TimeoutError(wireTimes.snapshotTimeoutMs);
    this.#busy.add(engine);
    try {
      return await engine.snapshot();
    } finally {
      this.#busy.delete(engine);
    }
  }
}

/** Limits the snapshot to the number of queues and workers that the brain reads. */
function bounded(snapshot: AdapterSnapshot): AdapterSnapshot {
  const kept = snapshotKeys.flatMap((key) => {
    const rows = snapshot[key];
    return rows === undefined ? [] : [[key, Object.fromEntries(Object.entries(rows).slice(0, maxRowsPerKey))]];
  });
  return Object.fromEntries(kept);
}

function sizeOf(health: Record<string, string>, key: string): number {
  return Buffer.byteLength(health[key] ?? "") + key.length;
}

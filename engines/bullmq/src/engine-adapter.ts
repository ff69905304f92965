import { setTimeout as pause } from "node:timers/promises";
import type { AdapterContext, AdapterSnapshot, CommandOutcome, EngineAdapter } from "@svc/agent";
import { schedulerCapabilityTokens } from "@svc/protocol";
import { type CommandExecutor, queueCapabilities } from "./commands/executor.ts";
import { type BullmqOptions, defaultEngine, readSettings, type Settings } from "./options.ts";
import { schedulerNameOf } from "./schedules/scheduler-name.ts";

/** The parts of an adapter between its start and its stop. */
export interface Running {
  readonly executor: CommandExecutor;
  /** Resolves when watching has begun. */
  readonly began: Promise<void>;
  snapshot(): Promise<AdapterSnapshot>;
  /** Resolves when everything is saved after the stop signal. */
  end(): Promise<void>;
}

interface AdapterParts {
  readonly engine: string | undefined;
  readOptions(): BullmqOptions;
  /** How long start() waits for watching to begin: an unresponsive Redis must not block the agent. */
  readonly startBoundMs: number;
  open(settings: Settings, context: AdapterContext, stop: AbortSignal): Running;
}

const notRunning: CommandOutcome = { status: "failed", error: "The adapter is not running. Nothing was changed." };

/** Never throws; `start` rejects with a TypeError that names the option that is out of range. */
export function engineAdapter({
  engine = defaultEngine,
  readOptions,
  startBoundMs,
  open,
}: AdapterParts): EngineAdapter {
  const demand = settingsOnDemand(readOptions);
  /** Nothing while the options are out of range, because then the adapter does not start. */
  const ifUsable = <Value>(read: (settings: Settings) => Value): Value | undefined => {
    try {
      return read(demand());
    } catch {
      return undefined;
    }
  };
  let running: (Running & { readonly stop: AbortController }) | undefined;
  return {
    name: engine,
    capabilities: () =>
      ifUsable(({ commands }) => commands && (running?.executor.capabilities() ?? queueCapabilities)) || [],
    scheduler: {
      name: ifUsable(schedulerNameOf) ?? engine,
      capabilities: () =>
        ifUsable(
          ({ commands }) => commands && (running?.executor.scheduleCapabilities() ?? schedulerCapabilityTokens),
        ) || [],
    },
    async start(context) {
      if (running) return;
      const settings = demand();
      const stop = new AbortController();
      const opened = open(settings, context, stop.signal);
      running = { ...opened, stop };
      opened.executor.refreshEarly(stop.signal); // the agent may send its hello before start() returns
      await begunWithin(opened.began, startBoundMs);
      await opened.executor.refresh();
    },
    async stop() {
      const ending = running;
      running = undefined;
      ending?.stop.abort();
      await ending?.executor.close();
      await ending?.end();
    },
    async snapshot() {
      await running?.executor.refresh();
      return (await running?.snapshot()) ?? {};
    },
    depth: async (queue) => await running?.executor.depth(queue),
    execute: async (command) => (running ? await running.executor.execute(command) : notRunning),
  };
}

/** Delays the error about an invalid option until the settings are read: an agent's option must not stop an application's start. */
function settingsOnDemand(options: () => BullmqOptions): () => Settings {
  try {
    const settings = readSettings(options());
    return () => settings;
  } catch (fault) {
    return () => {
      throw fault;
    };
  }
}

/** The timer keeps the process alive, so that a caller that waits for the agent to be ready always gets an answer. */
async function begunWithin(began: Promise<void>, boundMs: number): Promise<void> {
  const bound = new AbortController();
  await Promise.race([began, pause(boundMs, undefined, { signal: bound.signal }).catch(() => {})]);
  bound.abort();
}

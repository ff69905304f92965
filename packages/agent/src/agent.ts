import { randomUUID } from "node:crypto";
import { createRedactor, decodeHmacSecret, isUuid, type Redactor, type TelemetryLoss } from "@svc/protocol";
import type { AgentLog, EngineAdapter } from "./adapter.ts";
import { DurableBuffer } from "./buffer/buffer.ts";
import { Drain } from "./buffer/drain.ts";
import { CommandRouter } from "./commands/router.ts";
import { Dispatch } from "./dispatch.ts";
import { frameId } from "./events/frame-builder.ts";
import { Intake } from "./events/intake.ts";
import { type AgentOptions, AgentOptionsError, type AgentSettings, checkOptions } from "./options/options.ts";
import { guardClock, holdProcess, pause, within } from "./runtime/clock.ts";
import { guardLog, reasonOf, stderrLog } from "./runtime/log.ts";
import { AdapterHealth } from "./status/health.ts";
import { heartbeatPayload, statusPayload, telemetryLoss, type VitalsDependencies } from "./status/vitals.ts";
import { Connection } from "./transport/connection.ts";
import { helloPayload } from "./transport/hello.ts";
import { runLongPollSession } from "./transport/longpoll.ts";
import type { OpenedSession, VitalFrame } from "./transport/session.ts";
import { runWebSocketSession } from "./transport/websocket.ts";

export interface Agent {
  /** Starts the agent. A second call does nothing. `startAgent` calls it unless `autostart` is false. */
  start(): void;
  /**
   * Resolves when every adapter is watching. In strict mode it rejects when an adapter failed to start. Otherwise it never rejects and the
   * failure is logged. Pending until `start`.
   */
  readonly ready: Promise<void>;
  /**
   * Waits up to 5 s for running commands, stops the adapters (up to 5 s), waits up to 3 s for the buffer to be delivered, and closes. Never
   * rejects. Safe to call twice.
   */
  stop(): Promise<void>;
  status(): AgentReport;
}

/** The agent's current state, for the host's own health page. */
export interface AgentReport {
  /** `refused`: the options are invalid and nothing runs. `reason` has the details. */
  readonly state: "idle" | "connecting" | "online" | "waiting" | "stopped" | "refused";
  readonly transport?: "ws" | "longpoll" | undefined;
  readonly agentId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly brainVersion?: string | undefined;
  /** Why the last session ended, or why the agent does not run. */
  readonly reason?: string | undefined;
  /** WebSocket close code or HTTP status that ended the last session. */
  readonly code?: number | undefined;
  /** While waiting: the full delay before the next attempt, in milliseconds. */
  readonly retryInMs?: number | undefined;
  /** Events that are queued but not in the buffer yet. */
  readonly waitingEvents: number;
  /** Frames in the buffer. */
  readonly bufferDepth: number;
  readonly bufferBytes: number;
  /** False while the buffer file cannot be used and entries are in memory only. */
  readonly isBufferDurable: boolean;
  readonly loss?: TelemetryLoss | undefined;
}

/** An adapter that takes longer to start does not delay the delivery of buffered events. */
const helloWaitMs = 1_000;
const adapterStopLimitMs = 5_000;
const farewellMs = 3_000;
const farewellStepMs = 20;

/**
 * Starts an agent inside this process. It fails open: outside strict mode nothing throws into the host application, even when the brain, the
 * disk, an adapter or the log fails. It never keeps the process alive.
 *
 * @throws AgentOptionsError in strict mode only. Otherwise an invalid option gives an agent in state `refused` and one log line.
 */
export function startAgent(options: AgentOptions): Agent {
  const log = guardLog(options.log ?? stderrLog);
  try {
    const checked = checkOptions(options);
    const clock = guardClock(checked.clock, (error) =>
      log.error("internal error in the agent", { reason: reasonOf(error) }),
    );
    const agent = new RunningAgent({ ...checked, clock }, log);
    if (options.autostart !== false) agent.start();
    return agent;
  } catch (error) {
    if (options.strictMode === true) throw error;
    log.error("the agent did not start", { reason: reasonOf(error) });
    return refusedAgent(reasonOf(error));
  }
}

class RunningAgent implements Agent {
  #ready = Promise.withResolvers<void>();
  readonly ready = this.#ready.promise;
  #settings: AgentSettings;
  #log: AgentLog;
  #vitals: VitalsDependencies;
  #connection: Connection;
  #router: CommandRouter;
  /** Transports that wait for new entries. */
  #listeners = new Set<() => void>();
  #isStarted = false;
  #stopped: Promise<void> | undefined;

  constructor(settings: AgentSettings, log: AgentLog) {
    const { clock, engines } = settings;
    const { secret, redactor } = cryptoOf(settings);
    const onStored = (): void => this.#onStored();
    const limits = { maxEntries: settings.bufferMaxEntries, maxBytes: settings.bufferMaxBytes };
    const place = { directory: settings.bufferPath, name: settings.bufferName, limits };
    const buffer = new DurableBuffer({ place, clock, log });
    const drain = new Drain(buffer, clock);
    const { release, strictMode, batchWindowMs: windowMs } = settings;
    const intake = new Intake({ buffer, clock, log, redactor, release, strictMode, windowMs, onStored });
    const router = new CommandRouter({ engines, secret, redactor, buffer, clock, log, onStored });
    const dispatch = new Dispatch({ buffer, drain, router, clock, log });
    const startedMs = clock.nowMs();

    this.#settings = settings;
    this.#log = log;
    this.#router = router;
    this.#vitals = {
      settings,
      runtimeId: randomUUID(),
      buffer,
      intake,
      health: new AdapterHealth({ engines, redactor, clock, log }),
      clock,
    };
    this.#connection = new Connection({
      runSession: settings.transport === "longpoll" ? runLongPollSession : runWebSocketSession,
      random: settings.random,
      accept: (session) => refuseStranger(settings, session),
      context: {
        settings,
        secret,
        drain,
        dispatch,
        clock,
        log,
        hello: () => helloPayload(settings, startedMs),
        vitals: (maxBytes) => this.#vitalFrames(maxBytes),
        onStored: (wake) => {
          this.#listeners.add(wake);
          return () => this.#listeners.delete(wake);
        },
      },
    });
    this.ready.catch(() => {}); // a host that ignores `ready` must not get an unhandled rejection
  }

  start(): void {
    if (this.#isStarted || this.#stopped !== undefined) return;
    this.#isStarted = true;
    this.#router.tend();
    const starts = this.#settings.engines.map((engine) => this.#startAdapter(engine));
    const adapters = Promise.all(starts);
    adapters.then(() => this.#ready.resolve(), this.#ready.reject);
    void Promise.allSettled(starts).then(() => this.#router.adaptersStarted());
    void this.#connectAfter(adapters);
  }

  /** Capabilities are sent once per session, in hello, and some adapters know them only after they have started. */
  async #connectAfter(adapters: Promise<unknown>): Promise<void> {
    await within(this.#settings.clock, helloWaitMs, adapters).catch(() => {});
    if (this.#stopped === undefined) this.#connection.start();
  }

  stop(): Promise<void> {
    if (this.#stopped === undefined) {
      const release = holdProcess(); // keeps the process alive until the promise settles
      this.#stopped = this.#stop().finally(release);
    }
    return this.#stopped;
  }

  status(): AgentReport {
    const { session, lastEnding, retryInMs, state } = this.#connection;
    const { buffer, intake } = this.#vitals;
    return {
      state,
      transport: this.#settings.transport,
      agentId: session?.agentId ?? this.#settings.agentId,
      projectId: session?.projectId,
      brainVersion: session?.brainVersion,
      reason: lastEnding?.reason,
      code: lastEnding?.code,
      retryInMs,
      waitingEvents: intake.waitingEvents,
      bufferDepth: buffer.depth,
      bufferBytes: buffer.sizeBytes,
      isBufferDurable: buffer.isDurable,
      loss: telemetryLoss(this.#vitals),
    };
  }

  #onStored(): void {
    for (const wake of this.#listeners) wake();
  }

  async #startAdapter(engine: EngineAdapter): Promise<void> {
    const { intake } = this.#vitals;
    try {
      await engine.start({
        destination: this.#settings.destination,
        sink: intake.sinkFor(engine.name),
        cursors: intake.cursorsFor(engine.name),
        log: this.#log,
      });
    } catch (error) {
      this.#log.error("adapter failed to start, its engine is not watched", {
        engine: engine.name,
        reason: reasonOf(error),
      });
      if (this.#settings.strictMode) throw error;
    }
  }

  async #stop(): Promise<void> {
    const { buffer, intake, clock } = this.#vitals;
    await this.#router.close(); // running commands still need their adapter
    await Promise.all(this.#settings.engines.map((engine) => this.#stopAdapter(engine)));
    intake.close();
    const until = clock.monotonicMs() + farewellMs;
    const never = new AbortController().signal;
    while (this.#connection.state === "online" && buffer.depth > 0 && clock.monotonicMs() < until) {
      await pause(clock, farewellStepMs, never);
    }
    await this.#connection.stop();
    buffer.close();
  }

  async #stopAdapter(engine: EngineAdapter): Promise<void> {
    if (!this.#isStarted) return;
    try {
      await within(this.#settings.clock, adapterStopLimitMs, engine.stop());
    } catch (error) {
      this.#log.warn("adapter did not stop cleanly", { engine: engine.name, reason: reasonOf(error) });
    }
  }

  async #vitalFrames(maxBytes: number): Promise<VitalFrame[]> {
    const { facts } = this.#connection;
    if (this.#vitals.buffer.tend() > 0) this.#onStored();
    this.#router.tend();
    // Reserves room for the counters next to adapter_health.
    const heartbeat = await heartbeatPayload(this.#vitals, facts, Math.max(0, maxBytes - 4096));
    const frames: VitalFrame[] = [{ type: "heartbeat", id: frameId("hb"), payload: heartbeat }];
    if (this.#settings.agentStatusDisabled) return frames;
    return [...frames, { type: "agent_status", id: frameId("st"), payload: statusPayload(this.#vitals, facts) }];
  }
}

/** An agent that does nothing, so that the host keeps running without one. */
function refusedAgent(reason: string): Agent {
  return {
    start: () => {},
    ready: Promise.resolve(),
    stop: () => Promise.resolve(),
    status: () => ({
      state: "refused",
      reason,
      waitingEvents: 0,
      bufferDepth: 0,
      bufferBytes: 0,
      isBufferDurable: false,
    }),
  };
}

function cryptoOf(settings: AgentSettings): { secret: Uint8Array; redactor: Redactor } {
  try {
    const redactor = createRedactor({
      maxStringBytes: settings.maxPayloadBytes,
      extraKeyPatterns: settings.redactionExtraKeyPatterns,
      extraValuePatterns: settings.redactionExtraValuePatterns,
      defaultsEnabled: settings.redactionDefaultsEnabled,
    });
    return { secret: decodeHmacSecret(settings.hmacSecret), redactor };
  } catch (error) {
    throw new AgentOptionsError([reasonOf(error)]);
  }
}

function refuseStranger({ agentId, projectId }: AgentSettings, session: OpenedSession): void {
  if (agentId !== undefined && agentId !== session.agentId.toLowerCase()) {
    throw new Error("the token does not belong to agentId");
  }
  if (projectId !== undefined && isUuid(projectId) && projectId.toLowerCase() !== session.projectId.toLowerCase()) {
    throw new Error("the token does not belong to projectId");
  }
}

import type { EngineAdapter } from "@svc/agent";
import type { TaskKind } from "@svc/protocol";

/** One adapter, attached in one way, to one version of its engine. */
export interface EngineUnderTest {
  /** `BullMQ 6, side-car`. */
  readonly title: string;
  /** Name of the adapter. */
  readonly engine: string;
  /** All capability tokens and markers of the adapter while a worker of the site runs, in any order. */
  readonly advertises: readonly string[];
  /** Whether a running task can be stopped. False: cancelling it is refused and it continues. */
  readonly cancelsRunning: boolean;
  readonly reports: {
    /** Event kinds from the submission of a task until just before its start. */
    readonly beginning: readonly TaskKind[];
    /** Event kinds between a retried attempt and the start of the next one, with a delay between them. */
    readonly repeating: readonly TaskKind[];
    /** Event kinds between the start of a task whose worker was killed and its next start. */
    readonly afterCrash: readonly TaskKind[];
  };
  /** Maximum number of requests to the server per task while an agent catches up. */
  readonly requestsPerTask: number;
  /** Starts a server on a free port. Its data survives a restart. */
  start(): Promise<Site>;
}

/** An engine's server and a sample application. Queues have the adapter's names. */
export interface Site {
  /** A new adapter for an agent of this process. */
  adapter(): EngineAdapter;
  /** Starts an agent with the same adapter in its own process. Resolves when it watches. */
  startAgentProcess(reporting: Reporting): Promise<AgentProcess>;
  startWorker(plan: WorkerPlan): Promise<WorkerHandle>;
  /** Returns the task's id in events. */
  submit(task: NewTask): Promise<string>;
  /** How often workers of this site have started a task. */
  runsOf(taskId: string): number;
  /** Whether the engine itself lists the task as finished, successfully or not. */
  hasEnded(taskId: string): Promise<boolean>;
  pause(queue: string): Promise<void>;
  resume(queue: string): Promise<void>;
  readonly server: {
    /** Kills the server. */
    kill(): Promise<void>;
    /** Starts it again on its port, with its data. */
    restart(): Promise<void>;
  };
  /** Number of events of a queue that the engine has ever recorded, in the unit of the adapter's loss counter. */
  eventsWritten(queue: string): Promise<number>;
  /** Deletes the engine's event history of a queue. */
  loseEvents(queue: string): Promise<void>;
  /** Makes `count` tasks of a consumed queue fail with the same stored timestamp. Returns their ids. */
  failAtOnce(queue: string, count: number): Promise<readonly string[]>;
  /** Adds a schedule that does not fire during a test. Returns its name. */
  addSchedule(queue: string): Promise<string>;
  /** Removes a schedule without the adapter. */
  removeSchedule(name: string): Promise<void>;
  /** Names of the schedules that the engine would fire. */
  activeSchedules(): Promise<readonly string[]>;
  /** The task name for `rate_limit` to limit a queue whose tasks all have the same name. */
  rateTarget(queue: string, taskName: string): string;
  /** A valid task id that does not exist. */
  unknownTask(queue: string): string;
  /** Everything that the server stores, as text by key, except for what watching writes according to the adapter's documentation. */
  contents(): Promise<Readonly<Record<string, string>>>;
  /** Number of requests that the server has answered so far, from all clients. */
  requests(): Promise<number>;
  /** Number of open connections from adapters to the server. */
  adapterConnections(): Promise<number>;
  stop(): Promise<void>;
}

/** Where an agent reports to, and the folder of its buffer. */
export interface Reporting {
  readonly brainUrl: string;
  readonly token: string;
  readonly hmacSecret: string;
  readonly agentId: string;
  readonly bufferPath: string;
}

export interface AgentProcess {
  /** kill -9. Resolves when the process has exited. */
  kill(): Promise<void>;
}

export interface WorkerPlan {
  /** As events name it. */
  readonly name: string;
  readonly queues: readonly string[];
  /** Maximum number of concurrent tasks per queue. */
  readonly concurrency: number;
  /** It is killed later, or replaces a killed one: it runs in its own process, and the engine notices its absence within seconds. */
  readonly isKilledLater?: boolean;
}

export interface WorkerHandle {
  /** kill -9 of a worker that `isKilledLater`. Resolves when its process has exited. */
  kill(): Promise<void>;
  /** How often this worker was started, restarts included. */
  starts(): number;
}

/**
 * Tasks of the sample application:
 * - `echo` succeeds with its input as result.
 * - `fail` throws an error with the text `message` of its input, but succeeds after more than `times` starts, if given.
 * - `gate` runs until the file `path` of its input exists, or until it is asked to stop, where the engine supports that.
 * - `progress` reports progress, where the engine supports it, and succeeds.
 */
export type SampleTask = "echo" | "fail" | "gate" | "progress";

export interface NewTask {
  readonly queue: string;
  readonly name: SampleTask;
  /** Default: an empty object. */
  readonly input?: unknown;
  /** Default 1. */
  readonly attempts?: number;
  /** Delay between two attempts. */
  readonly pauseMs?: number;
  readonly delayMs?: number;
}

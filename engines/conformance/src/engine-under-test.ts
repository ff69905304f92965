import type { EngineAdapter } from "@svc/agent";
import type { TaskKind } from "@svc/protocol";

/** One adapter, attached in one way, to one version of its engine. */
export interface EngineUnderTest {
  /** `BullMQ 6, side-car`. */
  readonly title: string;
  /** Name of the adapter. */
  readonly engine: string;
  /** Everything that the adapter lists while a worker of the site is there, markers included, in any order. */
  readonly advertises: readonly string[];
  /** Whether a running task can be stopped; false: cancelling one is refused and it goes on. */
  readonly cancelsRunning: boolean;
  readonly tells: {
    /** Kinds from the submission of a task to just before its start. */
    readonly beginning: readonly TaskKind[];
    /** Kinds between a retried attempt and the start of the next one, when there is a pause between the two. */
    readonly repeating: readonly TaskKind[];
    /** Kinds between the start of a task whose worker died and its next start. */
    readonly afterCrash: readonly TaskKind[];
  };
  /** Requests to the server that a task may cost at most while an agent catches up. */
  readonly requestsPerTask: number;
  /** Starts a server of its own on a free port, whose data outlives a restart. */
  start(): Promise<Site>;
}

/** An engine's server and a sample application around it. Queues are called what the adapter calls them. */
export interface Site {
  /** The adapter for an agent of this process; each call makes a new one. */
  adapter(): EngineAdapter;
  /** An agent with the same adapter in a process of its own, once it watches. */
  startAgentProcess(reporting: Reporting): Promise<AgentProcess>;
  startWorker(plan: WorkerPlan): Promise<WorkerHandle>;
  /** Gives the task's id in events. */
  submit(task: NewTask): Promise<string>;
  /** How often workers of this site have begun a task. */
  runsOf(taskId: string): number;
  /** Whether the engine itself has it as ended, well or not. */
  hasEnded(taskId: string): Promise<boolean>;
  pause(queue: string): Promise<void>;
  resume(queue: string): Promise<void>;
  readonly server: {
    /** Ends it without a goodbye. */
    kill(): Promise<void>;
    /** Brings it back on its port, with its data. */
    restart(): Promise<void>;
  };
  /** Events of a queue that the engine has ever noted down, as the adapter counts losses. */
  eventsWritten(queue: string): Promise<number>;
  /** Makes the engine lose what it remembers of the events of a queue. */
  loseEvents(queue: string): Promise<void>;
  /** Lets so many tasks of a queue that a worker consumes fail, all at one instant as the engine stores it; gives their ids. */
  failAtOnce(queue: string, count: number): Promise<readonly string[]>;
  /** A schedule that does not fire by itself during a test; gives its name. */
  addSchedule(queue: string): Promise<string>;
  /** Names of the schedules that the engine would fire. */
  activeSchedules(): Promise<readonly string[]>;
  /** What `rate_limit` takes as task name to limit a queue of which all tasks have one name. */
  rateTarget(queue: string, taskName: string): string;
  /** An id of the adapter's form that no task has. */
  unknownTask(queue: string): string;
  /** Everything that the server stores, as text by place, but for what watching writes by the adapter's documentation. */
  contents(): Promise<Readonly<Record<string, string>>>;
  /** Requests that the server has answered so far, from whomever. */
  requests(): Promise<number>;
  /** Connections that adapters hold open to the server. */
  adapterConnections(): Promise<number>;
  stop(): Promise<void>;
}

/** To whom an agent reports, and where its buffer lies. */
export interface Reporting {
  readonly brainUrl: string;
  readonly token: string;
  readonly hmacSecret: string;
  readonly agentId: string;
  readonly bufferPath: string;
}

export interface AgentProcess {
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface WorkerPlan {
  /** As events name it. */
  readonly name: string;
  readonly queues: readonly string[];
  /** Tasks of a queue that it runs at once. */
  readonly slots: number;
  /** It is killed later or takes over from one that was: it has a process of its own, and the engine misses it within seconds. */
  readonly isMortal?: boolean;
}

export interface WorkerHandle {
  /** kill -9 of a mortal worker; resolves when it is gone. */
  kill(): Promise<void>;
  /** How often this worker was made, restarts included. */
  timesMade(): number;
}

/**
 * What the application can do:
 * - `echo` succeeds with its input as result;
 * - `fail` throws an error with the text `message` of its input, but succeeds once it has begun more than `times` times, if given;
 * - `gate` runs until there is a file `path` of its input, or until it is told to stop, where the engine can tell;
 * - `progress` reports progress, where the engine knows such a thing, and succeeds.
 */
export type SampleTask = "echo" | "fail" | "gate" | "progress";

export interface NewTask {
  readonly queue: string;
  readonly name: SampleTask;
  /** Default: an empty object. */
  readonly input?: unknown;
  /** Default 1. */
  readonly attempts?: number;
  /** Between two attempts. */
  readonly pauseMs?: number;
  readonly delayMs?: number;
}

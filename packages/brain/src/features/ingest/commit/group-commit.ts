import { isTransient } from "../../../platform/database/errors.ts";
import type { PreparedEvent } from "../prepare-batch.ts";
import type { CommitEvents, CommittedGroup } from "./commit.ts";

export interface GroupCommitOptions {
  readonly commit: CommitEvents;
  /** Concurrent groups whose frames come from different agents. */
  readonly lanes: number;
  /** Concurrent groups of one lane. */
  readonly inFlightPerLane: number;
  /** A group accepts no further frame once it has this many events. */
  readonly maxGroupRows: number;
  /** After each commit. Must not throw. */
  committed(group: CommittedGroup): void;
  /** An event whose content the database refuses. */
  refused(event: PreparedEvent, error: Error): void;
  /** Called when the events of a frame leave the queue, before they are stored. */
  taken(member: QueuedFrame): void;
  /** Duration of a commit, in milliseconds, and its number of events. */
  timed(durationMs: number, rows: number): void;
}

/** The events of one frame on their way into the database. */
export interface QueuedFrame {
  readonly agentId: string;
  readonly events: readonly PreparedEvent[];
}

export interface QueuedFrameOutcome {
  readonly inserted: number;
  /** Events that the database refused permanently. */
  readonly refused: readonly PreparedEvent[];
}

type Fate = "inserted" | "duplicate" | "refused";

interface Waiting {
  readonly member: QueuedFrame;
  readonly resolve: (outcome: QueuedFrameOutcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane {
  readonly waiting: Waiting[];
  rows: number;
  inFlight: number;
  isScheduled: boolean;
}

/**
 * The group commit. Frames of all connections wait here while transactions run; the next transaction takes the waiting frames, up to a
 * number of rows, and never waits for more. An agent keeps to one lane while it has frames there: its next frame often concerns the same
 * tasks, and two transactions on one task would only race.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #lanes: readonly Lane[];
  readonly #laneOfAgent = new Map<string, { lane: Lane; frames: number }>();
  #idleWaiters: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes }, () => ({
      waiting: [],
      rows: 0,
      inFlight: 0,
      isScheduled: false,
    }));
  }

  /** Resolves when every event of the frame is durable or refused; rejects with a transient error when it must be sent again. */
  store(member: QueuedFrame): Promise<QueuedFrameOutcome> {
    if (member.events.length === 0) return Promise.resolve({ inserted: 0, refused: [] });
    const lane = this.#enter(member.agentId);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ member, resolve, reject });
      lane.rows += member.events.length;
      this.#schedule(lane);
    });
  }

  /** Resolves when nothing is running or waiting. */
  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  #isIdle(): boolean {
    return this.#lanes.every((lane) => lane.inFlight === 0 && lane.waiting.length === 0);
  }

  #enter(agentId: string): Lane {
    const known = this.#laneOfAgent.get(agentId);
    if (known !== undefined) {
      known.frames += 1;
      return known.lane;
    }
    const lane = this.#lanes.reduce((least, other) => (loadOf(other) < loadOf(least) ? other : least));
    this.#laneOfAgent.set(agentId, { lane, frames: 1 });
    return lane;
  }

  #leave(agentId: string): void {
    const known = this.#laneOfAgent.get(agentId);
    if (known === undefined) return;
    known.frames -= 1;
    if (known.frames === 0) this.#laneOfAgent.delete(agentId);
  }

  // Deferred to the end of the event loop's turn, so that all frames read in one turn share a commit.
  #schedule(lane: Lane): void {
    const { inFlightPerLane } = this.#options;
    if (lane.isScheduled || lane.waiting.length === 0 || lane.inFlight >= inFlightPerLane) return;
    lane.isScheduled = true;
    setImmediate(() => {
      lane.isScheduled = false;
      while (lane.waiting.length > 0 && lane.inFlight < inFlightPerLane) void this.#run(lane, this.#takeGroup(lane));
    });
  }

  #takeGroup(lane: Lane): Waiting[] {
    const group: Waiting[] = [];
    let rows = 0;
    while (lane.waiting.length > 0 && rows < this.#options.maxGroupRows) {
      const next = lane.waiting.shift() as Waiting;
      group.push(next);
      rows += next.member.events.length;
      this.#options.taken(next.member);
    }
    lane.rows -= rows;
    return group;
  }

  async #run(lane: Lane, group: Waiting[]): Promise<void> {
    lane.inFlight += 1;
    const fates = new Map<PreparedEvent, Fate>();
    let failure: unknown = null;
    try {
      await this.#storeEvents(
        group.flatMap(({ member }) => member.events),
        fates,
      );
    } catch (error) {
      failure = error;
    }
    lane.inFlight -= 1;
    for (const waiting of group) {
      this.#leave(waiting.member.agentId);
      answer(waiting, fates, failure);
    }
    this.#schedule(lane);
    if (this.#idleWaiters.length > 0 && this.#isIdle()) {
      for (const resolve of this.#idleWaiters) resolve();
      this.#idleWaiters = [];
    }
  }

  /** Stores the events. Splits those that cannot be stored together in halves, until a refused event is alone. */
  async #storeEvents(events: readonly PreparedEvent[], fates: Map<PreparedEvent, Fate>): Promise<void> {
    const startedMs = performance.now();
    let group: CommittedGroup;
    try {
      group = await this.#options.commit(events);
    } catch (error) {
      if (isTransient(error)) throw error;
      const [first] = events;
      if (events.length === 1 && first !== undefined) {
        fates.set(first, "refused");
        this.#options.refused(first, error as Error);
        return;
      }
      const middle = Math.ceil(events.length / 2);
      await this.#storeEvents(events.slice(0, middle), fates);
      await this.#storeEvents(events.slice(middle), fates);
      return;
    }
    this.#options.timed(performance.now() - startedMs, events.length);
    for (const event of events) fates.set(event, "duplicate");
    for (const event of group.stored) fates.set(event, "inserted");
    this.#options.committed(group);
  }
}

const loadOf = (lane: Lane): number => lane.rows + lane.inFlight;

function answer({ member, resolve, reject }: Waiting, fates: ReadonlyMap<PreparedEvent, Fate>, failure: unknown): void {
  let inserted = 0;
  const refused: PreparedEvent[] = [];
  for (const event of member.events) {
    const fate = fates.get(event);
    // Part of the group may be durable when the connection was lost; only completely stored frames are confirmed.
    if (fate === undefined) {
      reject(failure);
      return;
    }
    if (fate === "inserted") inserted += 1;
    else if (fate === "refused") refused.push(event);
  }
  resolve({ inserted, refused });
}

import { type FireScheduleRequest, timestampOf } from "@svc/protocol";
import { type Brain, BrainFault } from "../brain/brain.ts";
import type { SchedulerClock } from "../clock.ts";
import type { Gate } from "../gate.ts";
import { reasonOf, type SchedulerLog } from "../log.ts";
import { createCadences } from "../schedules/cadences.ts";
import { createSlotHeap } from "../schedules/heap.ts";
import type { Schedule } from "../schedules/row.ts";
import type { ScheduleTable } from "../schedules/table.ts";
import type { Answers, Outcome } from "./answers.ts";
import { planStep, type Step } from "./plan.ts";
import { createPreparedFires } from "./prepared.ts";
import { quarantineRequest } from "./quarantine.ts";
import { createReadyQueue } from "./ready-queue.ts";
import { advanceRequest, fireRequest } from "./requests.ts";

/** Requests to the service at the same time: what a fast service decides in half a second, and a slow one before they time out. */
const maxInFlight = 1000;
/** Longest sleep between two ticks, so that a jump of the wall clock is noticed. */
const longestSleepMs = 1000;
/** Work done at once before timers and the network get their turn. */
const sliceMs = 20;
/** Slots up to this far ahead are prepared. */
const aheadMs = 2500;
/** Pause after a refusal that repeats until something changes. */
const refusedPauseMs = 30_000;

export interface FiringOptions {
  readonly brain: Brain;
  readonly table: ScheduleTable;
  readonly gate: Gate;
  readonly answers: Answers;
  readonly clock: SchedulerClock;
  readonly log: SchedulerLog;
  /** Whether this process leads the project and has a snapshot from after that. */
  mayFire(projectId: string): boolean;
  readonly missedAfterMs: number;
  readonly fireTimeoutMs: number;
  readonly retries: number;
  readonly retryBackoffMs: number;
  /** Seconds from the slot to its first offer; not called for missed slots. */
  onOffered(driftSeconds: number): void;
  /** The disposition of an answer in lower case, or `unanswered`. */
  onAnswered(disposition: string): void;
}

/**
 * Fires due schedules. Each is idle in the heap until its slot, then queued, then at the service. It returns to the heap with its next
 * slot, or rests before the next attempt. So a schedule has at most one call at a time, and its slots stay in order.
 */
export function createFiring(options: FiringOptions) {
  const { brain, table, gate, answers, clock, log } = options;
  const heap = createSlotHeap<Schedule>();
  const ready = createReadyQueue<Schedule>();
  const resting = new Map<Schedule, () => void>();
  const prepared = createPreparedFires();
  const cadenceOf = createCadences();
  let inFlight = 0;
  let isStopped = false;
  let cancelTimer: (() => void) | null = null;
  let timerAtMs = Number.POSITIVE_INFINITY;
  let cancelSlice: (() => void) | null = null;
  let onIdle: (() => void) | null = null;
  let firedAtMs: number | null = null;

  const isStored = (schedule: Schedule) => table.get(schedule.id) === schedule;
  const isDueSometime = (schedule: Schedule) =>
    schedule.isRunnable && schedule.nextRunAt !== null && isStored(schedule) && options.mayFire(schedule.projectId);

  /** Places the schedule according to its row. A queued or active one is placed when its turn ends. */
  function place(schedule: Schedule): void {
    resting.get(schedule)?.();
    if (schedule.state !== "idle") return;
    prepared.forget(schedule);
    if (isDueSometime(schedule)) heap.set(schedule, schedule.nextRunAt!);
    else heap.remove(schedule);
  }

  function rest(schedule: Schedule, pauseMs: number): void {
    schedule.state = "resting";
    const cancel = clock.after(pauseMs, wake);
    function wake(): void {
      cancel();
      resting.delete(schedule);
      schedule.state = "idle";
      place(schedule);
      arm();
    }
    resting.set(schedule, wake);
  }

  /** Sets the timer to the earliest slot. */
  function arm(): void {
    if (isStopped) return;
    const earliest = heap.earliest() ?? Number.POSITIVE_INFINITY;
    const delayMs = gate.isOpen()
      ? Math.min(longestSleepMs, Math.max(0, earliest - clock.now().getTime()))
      : longestSleepMs;
    const atMs = clock.monotonicMs() + delayMs;
    if (atMs >= timerAtMs) return;
    cancelTimer?.();
    timerAtMs = atMs;
    cancelTimer = clock.after(delayMs, tick);
  }

  function tick(): void {
    cancelTimer?.();
    cancelTimer = null;
    timerAtMs = Number.POSITIVE_INFINITY;
    if (isStopped) return;
    if (gate.isOpen()) {
      const now = clock.now().getTime();
      for (let due = heap.takeDue(now); due !== undefined; due = heap.takeDue(now)) {
        due.state = "queued";
        ready.add(due);
      }
      pump();
      prepareAhead(now);
    }
    arm();
  }

  /** Computes the fires of the next seconds. */
  function prepareAhead(now: number): void {
    heap.visit(now + aheadMs, prepared.room(), (schedule) => {
      const slot = schedule.nextRunAt!;
      if (prepared.has(schedule)) return;
      try {
        const step = planStep(schedule, cadenceOf(schedule), slot, options.missedAfterMs);
        if (step.kind !== "fire") return;
        prepared.set(schedule, {
          controlToken: schedule.controlToken,
          step,
          request: fireRequest(schedule, step, slot),
        });
      } catch {
        // Its turn reports it.
      }
    });
  }

  /** Starts queued schedules while calls are free, in slices. */
  function pump(): void {
    if (cancelSlice !== null) return;
    const startedMs = clock.monotonicMs();
    while (inFlight < maxInFlight && !isStopped) {
      const schedule = ready.take();
      if (schedule === undefined) return;
      begin(schedule);
      if (clock.monotonicMs() - startedMs >= sliceMs && ready.size > 0) {
        cancelSlice = clock.after(0, () => {
          cancelSlice = null;
          pump();
        });
        return;
      }
    }
  }

  function begin(schedule: Schedule): void {
    schedule.state = "idle";
    if (!gate.isOpen() || !isDueSometime(schedule)) {
      place(schedule);
      return;
    }
    const now = clock.now().getTime();
    const early = prepared.take(schedule);
    if (early !== undefined && now - early.step.slot <= options.missedAfterMs) {
      fire(schedule, early.step, { ...early.request, fired_at: timestampOf(new Date(now)) }, now);
      return;
    }
    let step: Step;
    try {
      step = planStep(schedule, cadenceOf(schedule), now, options.missedAfterMs);
    } catch (fault) {
      quarantine(schedule, fault);
      return;
    }
    if (step.kind === "wait") place(schedule);
    else if (step.kind === "advance") advance(schedule, step);
    else fire(schedule, step, fireRequest(schedule, step, now), now);
  }

  /** Waits for an answer, applies it, and ends the turn. An outcome for a control that has changed since does not count. */
  function run<Answer>(schedule: Schedule, call: Promise<Answer>, apply: (answer: Answer) => Outcome): void {
    schedule.state = "active";
    inFlight += 1;
    const { controlToken } = schedule;
    const finish = (outcome: Outcome) => end(schedule, schedule.controlToken === controlToken ? outcome : "done");
    call.then(apply).then(finish, (fault: unknown) => {
      options.onAnswered("unanswered");
      log.warn("scheduler.call.failed", { schedule_id: schedule.id, reason: reasonOf(fault) });
      finish(fault instanceof BrainFault && fault.isTransient ? "again" : "later");
    });
  }

  function fire(schedule: Schedule, step: Step & { kind: "fire" }, request: FireScheduleRequest, now: number): void {
    if (!step.isMissed && schedule.failures === 0) options.onOffered((now - step.slot) / 1000);
    const { controlToken } = schedule;
    run(schedule, brain.fire(request, options.fireTimeoutMs), (answer) => {
      options.onAnswered(answer.disposition.toLowerCase());
      if (answer.disposition === "ACCEPTED") firedAtMs = clock.now().getTime();
      return answers.fired(schedule, controlToken, step, answer);
    });
  }

  function advance(schedule: Schedule, step: Step & { kind: "advance" }): void {
    const { controlToken } = schedule;
    run(schedule, brain.advance(advanceRequest(schedule, step), options.fireTimeoutMs), (answer) =>
      answers.advanced(schedule, controlToken, step, answer),
    );
  }

  function quarantine(schedule: Schedule, fault: unknown): void {
    const { controlToken } = schedule;
    log.error("scheduler.schedule.quarantined", { schedule_id: schedule.id, reason: reasonOf(fault) });
    run(schedule, brain.quarantine(quarantineRequest(schedule, fault), options.fireTimeoutMs), ({ outcome }) => {
      if (outcome === "QUARANTINE_STALE_CONTROL") return "later";
      if (schedule.controlToken === controlToken) schedule.isRunnable = false;
      return "done";
    });
  }

  function end(schedule: Schedule, outcome: Outcome): void {
    inFlight -= 1;
    schedule.state = "idle";
    if (outcome === "later") rest(schedule, refusedPauseMs);
    else if (outcome === "again") rest(schedule, pauseAfter(schedule));
    else {
      schedule.failures = 0;
      place(schedule);
    }
    if (inFlight === 0) onIdle?.();
    pump();
    arm();
  }

  /** Retries with doubled pauses; after the last retry, the slot is planned again at the next tick. */
  function pauseAfter(schedule: Schedule): number {
    const retry = schedule.failures % (options.retries + 1);
    schedule.failures += 1;
    return retry < options.retries ? options.retryBackoffMs * 2 ** retry : longestSleepMs;
  }

  return {
    /** The row of the schedule changed. Call `arm` after a batch. */
    place,
    arm,
    /** Places every schedule again, because the projects that may be fired changed. */
    placeAll(): void {
      for (const schedule of table.all()) if (schedule.state === "idle") place(schedule);
      arm();
    },
    info(now: number) {
      const oldest = Math.min(heap.earliest() ?? now, ready.first()?.nextRunAt ?? now);
      return {
        in_flight: inFlight,
        queued: ready.size,
        resting: resting.size,
        oldest_due_seconds: Math.max(0, now - oldest) / 1000,
        last_fired_at: firedAtMs === null ? null : new Date(firedAtMs).toISOString(),
      };
    },
    /** Starts nothing more. Resolves when no call is open, or after `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      isStopped = true;
      cancelTimer?.();
      cancelSlice?.();
      for (const wake of [...resting.values()]) wake();
      if (inFlight === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      const cancel = clock.after(graceMs, resolve);
      await promise;
      cancel();
    },
  };
}

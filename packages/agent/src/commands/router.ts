import { canonicalText, type Frame, idempotentActions, parseJson, type Redactor } from "@svc/protocol";
import type { AgentLog } from "../adapter.ts";
import type { DurableBuffer } from "../buffer/buffer.ts";
import type { Repeatable } from "../buffer/command-table.ts";
import type { NewEntry } from "../buffer/entry.ts";
import { reasonOf } from "../runtime/log.ts";
import { type Command, type CommandOutcome, failed, readCommand, unknownOutcome } from "./command.ts";
import { type ExecuteDependencies, executeCommand } from "./execute.ts";
import { CommandJournal, type JournalEntry } from "./journal.ts";
import { ackEntry, encodeOutcome, resultEntry } from "./reply.ts";

export interface RouterDependencies extends ExecuteDependencies {
  readonly redactor: Redactor;
  /** Stores replies and the journal of ids. */
  readonly buffer: DurableBuffer;
  readonly log: AgentLog;
  /** Called when a reply is in the buffer. */
  readonly onStored: () => void;
}

/** A command without an outcome. */
interface Job {
  readonly command: Command;
  readonly entry: JournalEntry;
  /** An earlier process began with it, so that it may have taken effect already. */
  readonly mayHaveRun: boolean;
  cancelTimeout: () => void;
}

const maxRunning = 16;
const maxWaiting = 1_000;
/** Maximum number of timed-out commands that still run in the engine. */
const maxOverdue = 64;
const maxTokenCharacters = 64;
const closeLimitMs = 5_000;

const texts = {
  shutDown: "not carried out: the agent is shutting down",
  notBegun: "not carried out: the agent stopped before the command started",
  unknown: "outcome unknown: the agent stopped while the command was running. Check the engine before you repeat it",
} as const;

/**
 * Executes commands. Each delivery is acknowledged immediately and its result follows. A repeated delivery of a known id is acknowledged
 * again but never executed again. A known result is sent again, with the token of the newest delivery. The id is in the journal before its
 * command starts, and its outcome is stored together with the result, so a restarted process knows of each command whether it finished, never
 * started, or has an unknown outcome. One of `idempotentActions` has none: the restarted process carries it out again while its time lasts.
 * Such a command is never refused: without an ack the service sends it again.
 *
 * 16 commands run concurrently and 1,000 wait in order. The timeout of a command starts with its first delivery. After it the command fails
 * and its adapter's result is not reported.
 */
export class CommandRouter {
  #dependencies: RouterDependencies;
  #journal: CommandJournal;
  #onlyEngine: string | undefined;
  #running = new Map<string, Job>();
  #waiting = new Map<string, Job>();
  #overdue = 0;
  #isClosed = false;
  #canRepeat = false;
  #onIdle: (() => void) | undefined;

  constructor(dependencies: RouterDependencies) {
    const { engines, buffer, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#journal = new CommandJournal(buffer, clock);
    this.#onlyEngine = engines.length === 1 ? engines[0]?.name : undefined;
  }

  /** Handles a verified command frame. Never throws. */
  handle({ id, payload }: Pick<Frame, "id" | "payload">): void {
    const token = readToken(payload?.delivery_claim_token);
    const known = this.#known(id);
    if (known !== undefined) {
      if (this.#isLeft(known)) return;
      known.token = token;
      this.#write(known, answersOf(known));
      return;
    }
    const command = readCommand(id, payload ?? {}, this.#onlyEngine);
    const entry = { id, action: command.action, token, isBegun: false, outcome: null, seenAtMs: 0 };
    const refusal = this.#refusal();
    if (refusal === undefined) {
      this.#admit({ command, entry, mayHaveRun: false, cancelTimeout: () => {} }, this.#repeatableOf(command, payload));
    } else if (!isIdempotent(entry)) {
      const refused = { ...entry, outcome: this.#encode(failed(refusal)) };
      this.#write(refused, answersOf(refused));
    }
  }

  /**
   * Reports or repeats unfinished commands of ended processes and deletes expired ids. Called at start and on each heartbeat, because the
   * buffer may adopt the file of an ended process at any time.
   */
  tend(): void {
    for (const entry of this.#journal.unfinished()) {
      if (!this.#isHere(entry.id)) this.#resume(entry);
    }
    this.#journal.prune();
  }

  /** Adapters know what they support when they have started: only then are unfinished commands repeated. */
  adaptersStarted(): void {
    this.#canRepeat = true;
    if (!this.#isClosed) this.tend();
  }

  /**
   * Refuses new and waiting commands and waits up to 5 s for running ones, which then have an unknown outcome. Those of `idempotentActions`
   * stay unfinished in the journal instead, and the next process carries them out.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.values()) this.#leave(job);
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#dependencies.clock.after(closeLimitMs, resolve);
    });
    for (const job of this.#running.values()) this.#leave(job);
  }

  #leave(job: Job): void {
    if (!isIdempotent(job.entry)) {
      this.#finish(job, notCarriedOut(job.entry.isBegun));
      return;
    }
    const { id, action } = job.command;
    job.cancelTimeout();
    this.#running.delete(id);
    this.#waiting.delete(id);
    this.#dependencies.log.info("left a command to the next agent process", { id, action });
  }

  /** Whether the next process carries the command out. The service may give it to another one before that, so it is not acknowledged. */
  #isLeft(entry: JournalEntry): boolean {
    return this.#isClosed && entry.outcome === null && isIdempotent(entry) && !this.#isHere(entry.id);
  }

  #known(id: string): JournalEntry | undefined {
    const known = this.#journal.find(id);
    if (known === undefined || known.outcome !== null || this.#isHere(id)) return known;
    this.tend();
    return this.#journal.find(id);
  }

  #isHere(id: string): boolean {
    return this.#running.has(id) || this.#waiting.has(id);
  }

  /** A command that an ended process left unfinished. */
  #resume(entry: JournalEntry): void {
    const { clock, log } = this.#dependencies;
    const { id, action, isBegun } = entry;
    const repeatable = this.#journal.repeatable(id);
    const leftSeconds = repeatable === undefined ? 0 : Math.floor((repeatable.deadlineMs - clock.nowMs()) / 1_000);
    if (repeatable === undefined || leftSeconds < 1) {
      log.warn("a command was left unfinished by an earlier agent process", { id, action, isBegun });
      this.#end(entry, notCarriedOut(isBegun));
    } else if (this.#canRepeat && this.#refusal() === undefined) {
      log.info("repeating a command that an earlier agent process left unfinished", { id, action, isBegun });
      const payload = parseJson(repeatable.payload) as Record<string, unknown>;
      const command = { ...readCommand(id, payload, this.#onlyEngine), timeoutSeconds: leftSeconds };
      this.#admit({ command, entry, mayHaveRun: isBegun, cancelTimeout: () => {} });
    }
  }

  /** Undefined for a command that must not be repeated. */
  #repeatableOf({ action, timeoutSeconds }: Command, payload: Frame["payload"]): Repeatable | undefined {
    if (!isIdempotent({ action })) return undefined;
    return { payload: canonicalText(payload), deadlineMs: this.#dependencies.clock.nowMs() + timeoutSeconds * 1_000 };
  }

  #refusal(): string | undefined {
    if (this.#isClosed) return texts.shutDown;
    if (this.#overdue >= maxOverdue) {
      return `busy: ${this.#overdue} earlier commands are still running after their timeout, the engine does not respond`;
    }
    if (this.#waiting.size >= maxWaiting) return `busy: ${maxWaiting} commands are waiting already`;
    return undefined;
  }

  #admit(job: Job, repeatable?: Repeatable): void {
    const { command, entry } = job;
    job.cancelTimeout = this.#dependencies.clock.after(command.timeoutSeconds * 1_000, () => this.#timeOut(job));
    const answers = answersOf(entry);
    if (this.#running.size < maxRunning) {
      this.#begin(job, answers, repeatable);
    } else {
      this.#waiting.set(command.id, job);
      this.#write(entry, answers, repeatable);
    }
  }

  #begin(job: Job, answers: readonly NewEntry[], repeatable?: Repeatable): void {
    const { command, entry, mayHaveRun } = job;
    this.#running.set(command.id, job);
    entry.isBegun = true;
    this.#write(entry, answers, repeatable);
    void this.#carryOut(command).then((outcome) => {
      // The first time may have succeeded although the repetition failed.
      const known: CommandOutcome =
        mayHaveRun && outcome.status === "failed" ? { ...outcome, outcome: "unknown" } : outcome;
      if (this.#running.get(command.id) === job) this.#finish(job, known);
      else this.#endedLate(command, outcome);
    });
  }

  async #carryOut(command: Command): Promise<CommandOutcome> {
    try {
      return readOutcome(await executeCommand(command, this.#dependencies));
    } catch (error) {
      return failed(reasonOf(error));
    }
  }

  #timeOut(job: Job): void {
    const { id, timeoutSeconds } = job.command;
    if (this.#running.has(id)) this.#overdue += 1;
    this.#finish(
      job,
      job.entry.isBegun
        ? unknownOutcome(`timed out after ${timeoutSeconds} s, it may still take effect`)
        : failed(`timed out after ${timeoutSeconds} s behind other commands, it was not started`),
    );
  }

  /** The command timed out, was reported as unknown, or was left to the next process: its late result is only logged. */
  #endedLate({ id, action }: Command, { status }: CommandOutcome): void {
    this.#overdue = Math.max(0, this.#overdue - 1);
    this.#dependencies.log.warn("a command finished too late, its result is not reported", { id, action, status });
  }

  /** Finishes a job and starts the next one. */
  #finish(job: Job, outcome: CommandOutcome): void {
    const { id, action } = job.command;
    job.cancelTimeout();
    this.#running.delete(id);
    this.#waiting.delete(id);
    if (outcome.status === "failed") {
      const { log, redactor } = this.#dependencies;
      log.warn("a command failed", { id, action, reason: redactor.redact(outcome.error) });
    }
    this.#end(job.entry, outcome);
    for (const next of this.#waiting.values()) {
      if (this.#running.size >= maxRunning || this.#isClosed) break;
      this.#waiting.delete(next.command.id);
      this.#begin(next, []); // acknowledged when it was queued
    }
    if (this.#running.size === 0) this.#onIdle?.();
  }

  #end(entry: JournalEntry, outcome: CommandOutcome): void {
    entry.outcome = this.#encode(outcome);
    this.#write(entry, [resultEntry(entry.id, entry.outcome, entry.token)]);
  }

  #encode(outcome: CommandOutcome): string {
    return encodeOutcome(outcome, this.#dependencies.redactor);
  }

  #write(entry: JournalEntry, answers: readonly NewEntry[], repeatable?: Repeatable): void {
    this.#journal.write(entry, answers, repeatable);
    if (answers.length > 0) this.#dependencies.onStored();
  }
}

const notCarriedOut = (isBegun: boolean) => (isBegun ? unknownOutcome(texts.unknown) : failed(texts.notBegun));

const isIdempotent = ({ action }: { readonly action: string }) => idempotentActions.has(action);

/** The replies to a delivery: the ack, and the result when it is known. */
function answersOf({ id, token, outcome }: JournalEntry): NewEntry[] {
  const ack = ackEntry(id, token);
  return outcome === null ? [ack] : [ack, resultEntry(id, outcome, token)];
}

/** Validates the outcome, because an untyped adapter may return anything. */
function readOutcome(value: CommandOutcome): CommandOutcome {
  const { status } = (value ?? {}) as { status?: unknown };
  return status === "success" || status === "failed" ? value : failed("the adapter returned no outcome");
}

function readToken(value: unknown): string | null {
  return typeof value === "string" && value.length <= maxTokenCharacters ? value : null;
}

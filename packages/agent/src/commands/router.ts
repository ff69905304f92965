import type { Frame, Redactor } from "@svc/protocol";
import type { AgentLog } from "../adapter.ts";
import type { DurableBuffer } from "../buffer/buffer.ts";
import type { NewEntry } from "../buffer/entry.ts";
import { reasonOf } from "../runtime/log.ts";
import { type Command, type CommandOutcome, failed, readCommand, unknownOutcome } from "./command.ts";
import { type ExecuteDependencies, executeCommand } from "./execute.ts";
import { CommandJournal, type JournalEntry } from "./journal.ts";
import { ackEntry, encodeOutcome, resultEntry } from "./reply.ts";

export interface RouterDependencies extends ExecuteDependencies {
  readonly redactor: Redactor;
  /** Answers and the journal of ids go here. */
  readonly buffer: DurableBuffer;
  readonly log: AgentLog;
  /** Called when an answer is in the buffer. */
  readonly onStored: () => void;
}

/** A command that has no outcome yet. */
interface Job {
  readonly command: Command;
  readonly entry: JournalEntry;
  cancelTimeout: () => void;
}

const maxRunning = 16;
const maxWaiting = 1_000;
/** Commands at most that go on in the engine although their time was up. */
const maxOverdue = 64;
const maxTokenCharacters = 64;
const closeLimitMs = 5_000;

const texts = {
  shutDown: "not carried out: the agent is shutting down",
  notBegun: "not carried out: the agent stopped before it began",
  unknown:
    "outcome unknown: the agent stopped while it carried the command out; look at the engine before you repeat it",
} as const;

/**
 * Answers commands. A delivery is acknowledged at once and its result follows. Every delivery of an id that the journal remembers is
 * acknowledged again and never carried out again; when the result is known it is sent again, always under the token of the newest
 * delivery. An id is in the journal before its command begins, and its outcome is written together with the result, so a process
 * that starts again can say of each command that it has ended, was never begun, or ended nobody knows how.
 *
 * 16 commands run at once and 1,000 wait in order. The time of a command begins with its first delivery; when it is up, the command
 * fails, and whatever its adapter still does is not reported.
 */
export class CommandRouter {
  #dependencies: RouterDependencies;
  #journal: CommandJournal;
  #onlyEngine: string | undefined;
  #running = new Map<string, Job>();
  #waiting = new Map<string, Job>();
  #overdue = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(dependencies: RouterDependencies) {
    const { engines, buffer, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#journal = new CommandJournal(buffer, clock);
    this.#onlyEngine = engines.length === 1 ? engines[0]?.name : undefined;
  }

  /** Takes a verified command frame. Never throws. */
  handle({ id, payload }: Pick<Frame, "id" | "payload">): void {
    const token = readToken(payload?.delivery_claim_token);
    const known = this.#known(id);
    if (known !== undefined) {
      known.token = token;
      this.#write(known, answersOf(known));
      return;
    }
    const command = readCommand(id, payload ?? {}, this.#onlyEngine);
    const entry = { id, action: command.action, token, isBegun: false, outcome: null, seenAtMs: 0 };
    const refusal = this.#refusal();
    if (refusal === undefined) {
      this.#admit({ command, entry, cancelTimeout: () => {} });
    } else {
      const refused = { ...entry, outcome: this.#encode(failed(refusal)) };
      this.#write(refused, answersOf(refused));
    }
  }

  /**
   * Reports what a process that is gone has left without outcome, and forgets what is old. For the start and each heartbeat: the
   * buffer may take over the file of such a process at any time.
   */
  tend(): void {
    for (const orphan of this.#journal.orphans()) {
      const { id, action, isBegun } = orphan;
      this.#dependencies.log.warn("a command was left open by an agent that is gone", { id, action, isBegun });
      this.#end(orphan, isBegun ? unknownOutcome(texts.unknown) : failed(texts.notBegun));
    }
    this.#journal.prune();
  }

  /** Refuses what comes and what waits, and gives what runs up to 5 s; what runs longer has an unknown outcome. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.values()) this.#finish(job, failed(texts.notBegun));
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#dependencies.clock.after(closeLimitMs, resolve);
    });
    for (const job of this.#running.values()) this.#finish(job, unknownOutcome(texts.unknown));
  }

  #known(id: string): JournalEntry | undefined {
    const known = this.#journal.find(id);
    if (known === undefined || known.outcome !== null || this.#running.has(id) || this.#waiting.has(id)) return known;
    this.tend();
    return this.#journal.find(id);
  }

  #refusal(): string | undefined {
    if (this.#isClosed) return texts.shutDown;
    if (this.#overdue >= maxOverdue) {
      return `busy: ${this.#overdue} commands before it go on after their time was up; the engine does not answer`;
    }
    if (this.#waiting.size >= maxWaiting) return `busy: ${maxWaiting} commands wait for their turn already`;
    return undefined;
  }

  #admit(job: Job): void {
    const { command, entry } = job;
    job.cancelTimeout = this.#dependencies.clock.after(command.timeoutSeconds * 1_000, () => this.#timeOut(job));
    const answers = answersOf(entry);
    if (this.#running.size < maxRunning) {
      this.#begin(job, answers);
    } else {
      this.#waiting.set(command.id, job);
      this.#write(entry, answers);
    }
  }

  #begin(job: Job, answers: readonly NewEntry[]): void {
    const { command, entry } = job;
    this.#running.set(command.id, job);
    entry.isBegun = true;
    this.#write(entry, answers);
    void this.#carryOut(command).then((outcome) => {
      if (this.#running.get(command.id) === job) this.#finish(job, outcome);
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
    const isBegun = this.#running.has(id);
    if (isBegun) this.#overdue += 1;
    this.#finish(
      job,
      isBegun
        ? unknownOutcome(`timed out after ${timeoutSeconds} s; whether it takes effect is unknown`)
        : failed(`timed out after ${timeoutSeconds} s in which other commands were carried out; it was not begun`),
    );
  }

  /** Its time was up or the agent has said that nobody knows: nothing more is reported. */
  #endedLate({ id, action }: Command, { status }: CommandOutcome): void {
    this.#overdue = Math.max(0, this.#overdue - 1);
    this.#dependencies.log.warn("a command ended after its result was sent", { id, action, status });
  }

  /** Ends a job and lets the next one begin. */
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
      this.#begin(next, []); // acknowledged when it began to wait
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

  #write(entry: JournalEntry, answers: readonly NewEntry[]): void {
    this.#journal.write(entry, answers);
    if (answers.length > 0) this.#dependencies.onStored();
  }
}

/** What a delivery is answered with: the ack, and the result when it is known. */
function answersOf({ id, token, outcome }: JournalEntry): NewEntry[] {
  const ack = ackEntry(id, token);
  return outcome === null ? [ack] : [ack, resultEntry(id, outcome, token)];
}

/** What an adapter without types may have given. */
function readOutcome(value: CommandOutcome): CommandOutcome {
  const { status } = (value ?? {}) as { status?: unknown };
  return status === "success" || status === "failed" ? value : failed("the adapter gave no outcome");
}

function readToken(value: unknown): string | null {
  return typeof value === "string" && value.length <= maxTokenCharacters ? value : null;
}

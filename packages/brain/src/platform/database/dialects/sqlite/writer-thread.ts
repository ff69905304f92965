import type { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import { SqliteError, undoneResultCode } from "../../errors.ts";
import { createStatementRunner, openForWriting, type SqliteOptions } from "./connection.ts";
import { type CarriedError, carryError, type ThreadReply, type WriterRequest } from "./messages.ts";
import { joinThreadLink } from "./thread-link.ts";

/**
 * Work that a feature does wholly inside the writer thread, by name: given the connection (once, at first use) it returns a
 * synchronous function that runs in the transaction of the call.
 */
export type WriterJobs = Readonly<Record<string, (db: DatabaseSync) => (payload: never) => unknown>>;

/** Maximum members that share one commit, and the time after which a group is committed. */
const maxGroupMembers = 64;
const maxGroupMs = 10;

// Its session was idle for too long, or began in a thread that has died since.
const hasEnded = "the transaction has ended";

const undone = (message: string): CarriedError => carryError(new SqliteError(message, undoneResultCode));

type Unit = { kind: "session"; id: number; session: number } | { kind: "job"; id: number; run: () => unknown };
type Job = (payload: never) => unknown;

/** Serves the one writer of the embedded database in this thread. */
export function runWriter(jobs: WriterJobs): void {
  const { reply, close } = joinThreadLink((request: WriterRequest) => writer.take(request));
  const writer = new Writer(jobs, reply, close);
}

/**
 * Waiting transactions form a group: the group is one SQLite transaction, each member after the first a savepoint in it, so that a
 * failing member is undone alone; nothing is answered before the group's commit.
 * A member is either a job, run here at once, or a session whose statements arrive one by one from the main thread.
 */
class Writer {
  #jobs: WriterJobs;
  #reply: (answer: ThreadReply) => void;
  #close: () => void;
  #idleSessionMs: number;
  #db: DatabaseSync;
  #run: ReturnType<typeof createStatementRunner>;
  #prepared = new Map<string, Job>();
  #waiting: Unit[] = [];
  #group: { answers: ThreadReply[]; startedMs: number } | null = null;
  #session: { id: number; idleTimer: NodeJS.Timeout } | null = null;

  constructor(jobs: WriterJobs, reply: (answer: ThreadReply) => void, close: () => void) {
    const options = workerData as SqliteOptions & { idleSessionMs: number };
    this.#jobs = jobs;
    this.#reply = reply;
    this.#close = close;
    this.#idleSessionMs = options.idleSessionMs;
    this.#db = openForWriting(options);
    this.#run = createStatementRunner(this.#db);
  }

  take(request: WriterRequest): void {
    const { id } = request;
    switch (request.kind) {
      case "begin":
        this.#enqueue({ kind: "session", id, session: request.session });
        return;
      case "job":
        this.#enqueue({ kind: "job", id, run: () => this.#jobNamed(request.name)(request.payload as never) });
        return;
      case "execute":
        this.#answer(id, () => this.#execute(request));
        return;
      case "end":
        if (this.#session?.id === request.session) this.#endSession(id, request.commit);
        else this.#reply({ id, ...(request.commit && { error: undone(hasEnded) }) });
        return;
      case "checkpoint":
        this.#answer(id, () => (this.#session === null ? this.#run("PRAGMA wal_checkpoint(PASSIVE)", []) : null));
        return;
      case "ping":
        this.#reply({ id });
        return;
      case "close":
        if (this.#session !== null) {
          this.#leaveSession(this.#session);
          this.#undoMember();
        }
        this.#commitGroup();
        this.#db.close();
        this.#reply({ id });
        this.#close();
    }
  }

  #answer(id: number, work: () => unknown): void {
    try {
      this.#reply({ id, value: work() });
    } catch (error) {
      this.#reply({ id, error: carryError(error) });
    }
  }

  #enqueue(unit: Unit): void {
    this.#waiting.push(unit);
    if (this.#session === null) this.#pump();
  }

  #execute({ session, sql, parameters }: Extract<WriterRequest, { kind: "execute" }>): unknown {
    // Without its transaction, a statement would commit on its own.
    if (this.#session?.id !== session || !this.#db.isTransaction) throw new SqliteError(hasEnded, undoneResultCode);
    clearTimeout(this.#session.idleTimer);
    this.#session.idleTimer = this.#armIdleTimer(session);
    return this.#run(sql, parameters);
  }

  #jobNamed(name: string): Job {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const prepare = this.#jobs[name];
    if (prepare === undefined) throw new Error(`the writer knows no job ${name}`);
    // Prepared at first use: its tables exist only after the migrations.
    const job = prepare(this.#db);
    this.#prepared.set(name, job);
    return job;
  }

  #pump(): void {
    while (this.#session === null) {
      const unit = this.#waiting.shift();
      if (unit === undefined) break;
      const { id } = unit;
      try {
        this.#openMember();
      } catch (error) {
        this.#reply({ id, error: carryError(error) });
        continue;
      }
      if (unit.kind === "session") {
        this.#session = { id: unit.session, idleTimer: this.#armIdleTimer(unit.session) };
        this.#reply({ id });
        return;
      }
      this.#settle(id, () => {
        const value = unit.run();
        this.#closeMember();
        this.#answerAfterCommit({ id, value });
      });
    }
    if (this.#session === null) this.#commitGroup();
  }

  /** Ends a member; one that fails is undone. */
  #settle(id: number, end: () => void): void {
    try {
      end();
    } catch (error) {
      this.#undoMember();
      this.#reply({ id, error: carryError(error) });
    }
    const group = this.#group;
    if (group === null) return;
    const isFull = group.answers.length >= maxGroupMembers || performance.now() - group.startedMs > maxGroupMs;
    if (isFull) this.#commitGroup();
  }

  #endSession(id: number, isCommit: boolean): void {
    if (this.#session === null) return;
    this.#leaveSession(this.#session);
    this.#settle(id, () => {
      if (isCommit) {
        this.#closeMember();
        this.#answerAfterCommit({ id });
      } else {
        this.#undoMember();
        this.#reply({ id });
      }
    });
    this.#pump();
  }

  #leaveSession({ idleTimer }: { readonly idleTimer: NodeJS.Timeout }): void {
    clearTimeout(idleTimer);
    this.#session = null;
  }

  #armIdleTimer(id: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.#session?.id !== id) return;
      this.#session = null;
      this.#undoMember();
      this.#pump();
    }, this.#idleSessionMs);
  }

  /** The first member is alone in the transaction so far; without a savepoint SQLite need not copy each page before it changes. */
  #isSavepoint(): boolean {
    return this.#group !== null && this.#group.answers.length > 0;
  }

  #openMember(): void {
    if (this.#group === null) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      this.#db.exec("BEGIN IMMEDIATE");
      this.#group = { answers: [], startedMs: performance.now() };
    }
    if (this.#isSavepoint()) this.#db.exec("SAVEPOINT member");
  }

  #closeMember(): void {
    if (this.#isSavepoint()) this.#db.exec("RELEASE member");
  }

  #answerAfterCommit(answer: ThreadReply): void {
    if (this.#group === null) this.#reply(answer);
    else this.#group.answers.push(answer);
  }

  #commitGroup(): void {
    if (this.#group === null) return;
    const { answers } = this.#group;
    this.#group = null;
    try {
      this.#db.exec("COMMIT");
      for (const answer of answers) this.#reply(answer);
    } catch (error) {
      this.#dropTransaction();
      this.#failAll(answers, carryError(error));
    }
  }

  /**
   * Rolls back the current member; when SQLite has already rolled back the whole transaction, or must, every member of the group fails. The
   * others may retry, because only this member is at fault.
   */
  #undoMember(): void {
    try {
      if (this.#db.isTransaction && this.#isSavepoint()) {
        this.#db.exec("ROLLBACK TO member; RELEASE member");
        return;
      }
    } catch {}
    this.#dropTransaction();
    const failed = this.#group?.answers ?? [];
    this.#group = null;
    this.#failAll(failed, undone("the transaction was undone with others"));
  }

  #failAll(answers: readonly ThreadReply[], error: CarriedError): void {
    for (const answer of answers) this.#reply({ id: answer.id, error: answer.error ?? error });
  }

  /** What cannot be undone now is undone before the next group begins, so that the thread and waiting members continue. */
  #dropTransaction(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } catch {}
  }
}

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

/** Members that share one commit at most, and the time after which a group is committed. */
const maxGroupMembers = 64;
const maxGroupMs = 10;

// Its session was idle for too long, or began in a thread that has died since.
const hasEnded = "the transaction has ended";

const undone = (message: string): CarriedError => carryError(new SqliteError(message, undoneResultCode));

type Unit = { kind: "session"; id: number; session: number } | { kind: "job"; id: number; run: () => unknown };

/**
 * The one writer of the embedded database. Waiting transactions form a group: the group is one SQLite transaction, each member after
 * the first a savepoint in it, so that a failing member is undone alone; nobody is answered before the group's commit (spec part 3,
 * section 14).
 * A member is either a job, run here at once, or a session whose statements arrive one by one from the main thread.
 */
export function runWriter(jobs: WriterJobs): void {
  const options = workerData as SqliteOptions & { idleSessionMs: number };
  const db = openForWriting(options);
  const run = createStatementRunner(db);
  const prepared = new Map(
    Object.entries(jobs).map(([name, prepare]) => [
      name,
      { prepare, job: undefined as undefined | ((payload: never) => unknown) },
    ]),
  );

  const waiting: Unit[] = [];
  let group: { answers: ThreadReply[]; startedMs: number } | null = null;
  let session: { id: number; idleTimer: NodeJS.Timeout } | null = null;

  /** What cannot be undone now is undone before the next group begins: the thread and those that wait go on. */
  function dropTransaction(): void {
    try {
      if (db.isTransaction) db.exec("ROLLBACK");
    } catch {}
  }

  function commitGroup(): void {
    if (group === null) return;
    const { answers } = group;
    group = null;
    try {
      db.exec("COMMIT");
      for (const answer of answers) reply(answer);
    } catch (error) {
      dropTransaction();
      for (const answer of answers) reply({ id: answer.id, error: answer.error ?? carryError(error) });
    }
  }

  /** The first member is alone in the transaction so far; without a savepoint SQLite need not copy each page before it changes. */
  const isSavepoint = (): boolean => group !== null && group.answers.length > 0;

  /**
   * Undoes the present member; when SQLite has already dropped the whole transaction, or must, everyone in the group fails with it. They
   * may try again: what is wrong is wrong with the member.
   */
  function undoMember(): void {
    try {
      if (db.isTransaction && isSavepoint()) {
        db.exec("ROLLBACK TO member; RELEASE member");
        return;
      }
    } catch {}
    dropTransaction();
    const failed = group?.answers ?? [];
    group = null;
    const error = undone("the transaction was undone with others");
    for (const answer of failed) reply({ id: answer.id, error: answer.error ?? error });
  }

  function openMember(): void {
    if (group === null) {
      if (db.isTransaction) db.exec("ROLLBACK");
      db.exec("BEGIN IMMEDIATE");
      group = { answers: [], startedMs: performance.now() };
    }
    if (isSavepoint()) db.exec("SAVEPOINT member");
  }

  function closeMember(): void {
    if (isSavepoint()) db.exec("RELEASE member");
  }

  function answerAfterCommit(answer: ThreadReply): void {
    if (group === null) reply(answer);
    else group.answers.push(answer);
  }

  function armIdleTimer(id: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (session?.id !== id) return;
      session = null;
      undoMember();
      pump();
    }, options.idleSessionMs);
  }

  function pump(): void {
    while (session === null) {
      const unit = waiting.shift();
      if (unit === undefined) break;
      try {
        openMember();
      } catch (error) {
        reply({ id: unit.id, error: carryError(error) });
        continue;
      }
      if (unit.kind === "session") {
        session = { id: unit.session, idleTimer: armIdleTimer(unit.session) };
        reply({ id: unit.id });
        return;
      }
      try {
        const value = unit.run();
        closeMember();
        answerAfterCommit({ id: unit.id, value });
      } catch (error) {
        undoMember();
        reply({ id: unit.id, error: carryError(error) });
      }
      closeGroupWhenFull();
    }
    if (session === null) commitGroup();
  }

  function closeGroupWhenFull(): void {
    if (group === null) return;
    if (group.answers.length >= maxGroupMembers || performance.now() - group.startedMs > maxGroupMs) commitGroup();
  }

  function jobNamed(name: string): (payload: never) => unknown {
    const entry = prepared.get(name);
    if (entry === undefined) throw new Error(`the writer knows no job ${name}`);
    // Prepared at first use: its tables exist only after the migrations.
    entry.job ??= entry.prepare(db);
    return entry.job;
  }

  function endSession(id: number, commit: boolean): void {
    if (session === null) return;
    clearTimeout(session.idleTimer);
    session = null;
    try {
      if (commit) {
        closeMember();
        answerAfterCommit({ id });
      } else {
        undoMember();
        reply({ id });
      }
    } catch (error) {
      undoMember();
      reply({ id, error: carryError(error) });
    }
    closeGroupWhenFull();
    pump();
  }

  const { reply, close } = joinThreadLink((request: WriterRequest) => {
    switch (request.kind) {
      case "begin":
        waiting.push({ kind: "session", id: request.id, session: request.session });
        if (session === null) pump();
        return;
      case "job":
        waiting.push({ kind: "job", id: request.id, run: () => jobNamed(request.name)(request.payload as never) });
        if (session === null) pump();
        return;
      case "execute":
        try {
          // Without its transaction a statement would commit by itself.
          if (session?.id !== request.session || !db.isTransaction) throw new SqliteError(hasEnded, undoneResultCode);
          clearTimeout(session.idleTimer);
          session.idleTimer = armIdleTimer(session.id);
          reply({ id: request.id, value: run(request.sql, request.parameters) });
        } catch (error) {
          reply({ id: request.id, error: carryError(error) });
        }
        return;
      case "end":
        if (session?.id !== request.session) {
          reply({
            id: request.id,
            ...(request.commit && { error: undone(hasEnded) }),
          });
          return;
        }
        endSession(request.id, request.commit);
        return;
      case "checkpoint":
        try {
          reply({ id: request.id, value: session === null ? run("PRAGMA wal_checkpoint(PASSIVE)", []) : null });
        } catch (error) {
          reply({ id: request.id, error: carryError(error) });
        }
        return;
      case "ping":
        reply({ id: request.id });
        return;
      case "close":
        if (session !== null) {
          clearTimeout(session.idleTimer);
          session = null;
          undoMember();
        }
        commitGroup();
        db.close();
        reply({ id: request.id });
        close();
    }
  });
}

import { workerData } from "node:worker_threads";
import { createStatementRunner, openForReading } from "./connection.ts";
import { carryError, type ReaderRequest } from "./messages.ts";
import { joinThreadLink } from "./thread-link.ts";

/** Runs long reads one after another on a separate read-only connection. */
export function runReader(): void {
  const db = openForReading((workerData as { path: string }).path);
  const run = createStatementRunner(db);
  const { reply, close } = joinThreadLink((request: ReaderRequest) => {
    if (request.kind === "close") {
      db.close();
      reply({ id: request.id });
      close();
      return;
    }
    if (request.kind === "ping") {
      reply({ id: request.id });
      return;
    }
    try {
      reply({ id: request.id, value: run(request.sql, request.parameters) });
    } catch (error) {
      reply({ id: request.id, error: carryError(error) });
    }
  });
}

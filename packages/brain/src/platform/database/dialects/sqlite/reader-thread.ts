import { parentPort, workerData } from "node:worker_threads";
import { createStatementRunner, openForReading } from "./connection.ts";
import { carryError, type ReaderRequest } from "./messages.ts";

/** Runs reads that may take long, one after another, on a read-only connection of its own. */
export function runReader(): void {
  const port = parentPort;
  if (port === null) throw new Error("the reader runs only as a thread");
  const db = openForReading((workerData as { path: string }).path);
  const run = createStatementRunner(db);
  port.on("message", (request: ReaderRequest) => {
    if (request.kind === "close") {
      db.close();
      port.postMessage({ id: request.id });
      port.close();
      return;
    }
    if (request.kind === "ping") {
      port.postMessage({ id: request.id });
      return;
    }
    try {
      port.postMessage({ id: request.id, value: run(request.sql, request.parameters) });
    } catch (error) {
      port.postMessage({ id: request.id, error: carryError(error) });
    }
  });
}

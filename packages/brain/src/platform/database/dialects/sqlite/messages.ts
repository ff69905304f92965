import { SqliteError } from "../../errors.ts";
import type { StatementResult } from "./connection.ts";

/** Requests of the main thread to the writer thread. `id` numbers the request; `session` is its transaction. */
export type WriterRequest =
  | { kind: "begin"; id: number; session: number }
  | { kind: "execute"; id: number; session: number; sql: string; parameters: unknown[] }
  | { kind: "end"; id: number; session: number; commit: boolean }
  | { kind: "job"; id: number; name: string; payload: unknown }
  | { kind: "checkpoint"; id: number }
  | { kind: "ping"; id: number }
  | { kind: "close"; id: number };

export type ReaderRequest =
  | { kind: "execute"; id: number; sql: string; parameters: unknown[] }
  | { kind: "ping"; id: number }
  | { kind: "close"; id: number };

export type ThreadReply = { id: number; value?: StatementResult | unknown; error?: CarriedError };

export interface CarriedError {
  readonly message: string;
  readonly resultCode: number;
}

export function carryError(error: unknown): CarriedError {
  const known = error as { message?: unknown; errcode?: unknown; resultCode?: unknown };
  const code = typeof known?.errcode === "number" ? known.errcode : known?.resultCode;
  return {
    message: typeof known?.message === "string" ? known.message : String(error),
    resultCode: typeof code === "number" ? code : 0,
  };
}

export const restoreError = (error: CarriedError): SqliteError => new SqliteError(error.message, error.resultCode);

import type { ApiProblem } from "@svc/client";
import { createStore } from "../ui/store.ts";

// Handles requests refused for lack of a second factor or recent verification. A session that must verify or enroll first is redirected;
// otherwise a dialog asks for the code or password, and the request is repeated.

export type Gate = "verify" | "enroll";
let onGated: (gate: Gate) => void = () => {};

/** Sets the handler for sessions that must verify or enroll first. */
export function whenGated(run: (gate: Gate) => void): void {
  onGated = run;
}

/** Requests that wait for the same verification. */
export interface Verification {
  /** The accepted step-up methods; undefined where a code is required. */
  readonly methods: unknown;
  readonly passed: Promise<boolean>;
  /** False when the dialog was cancelled; the requests then stay refused. */
  readonly settle: (isPassed: boolean) => void;
}

/** The open verification; null while nothing waits. */
export const verification = createStore<Verification | null>(null);

/** Whether to repeat a refused request. @param method of the request: for a change, the dialog opens over the form to keep its input. */
export async function passGate(problem: ApiProblem, method: string): Promise<boolean> {
  if (problem.code === "mfa_enrollment_required") {
    onGated("enroll");
    return false;
  }
  if (problem.details.reason === "mfa_pending" && method === "GET") {
    onGated("verify");
    return false;
  }
  return (verification.get() ?? ask(problem.details.methods)).passed;
}

function ask(methods: unknown): Verification {
  const { promise: passed, resolve } = Promise.withResolvers<boolean>();
  const settle = (isPassed: boolean) => {
    verification.set(null);
    resolve(isPassed);
  };
  const asked = { passed, settle, methods };
  verification.set(asked);
  return asked;
}

import type { ApiProblem } from "@svc/client";
import { createStore } from "../ui/store.ts";

// What happens when the server refuses a call for want of a second factor or a recent proof of identity. A session that has to verify or
// enroll before anything else is led there; otherwise a dialog asks for the code or the password, and then the call is made again.

export type Gate = "verify" | "enroll";
let onGated: (gate: Gate) => void = () => {};

/** What happens when a session turns out to be open to nothing but its second factor. */
export function whenGated(run: (gate: Gate) => void): void {
  onGated = run;
}

/** Calls that wait for one proof. */
export interface Verification {
  /** The proofs that a step-up takes; undefined where a code is missing. */
  readonly methods: unknown;
  readonly passed: Promise<boolean>;
  /** False when the dialog was cancelled; then the calls stay refused. */
  readonly settle: (isPassed: boolean) => void;
}

/** What the dialog is open for; null while nothing waits. */
export const verification = createStore<Verification | null>(null);

/** Whether to make a refused call again. @param method of the refused call: what was typed for a change is kept by asking over it. */
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

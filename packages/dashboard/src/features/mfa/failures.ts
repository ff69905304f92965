import { type ApiProblem, isProblem } from "@svc/client";
import { causeOf } from "../../ui/panels/Feedback.tsx";

const isLocked = (error: unknown): error is ApiProblem =>
  isProblem(error, "forbidden") && error.details.reason === "mfa_locked";

/** The field error for a refused code. */
export function codeFailure(error: unknown): string {
  if (isLocked(error)) {
    return "Too many wrong codes. Your second factor is locked for a while (15 minutes by default), and correct codes are refused too. Trying again doesn't extend the lock.";
  }
  if (isProblem(error, "validation_error")) return "That code is incorrect or has expired.";
  if (isProblem(error, "conflict") && error.details.reason === "not_enrolled") {
    return "This account no longer has a second factor. Reload the page.";
  }
  return causeOf(error);
}

/** The answer is the same for a locked account. */
export const wrongPassword =
  "That password is incorrect, or the account is locked after too many wrong passwords. Check it, or try again later.";

/** The field error for a refused password. */
export const passwordFailure = (error: unknown): string =>
  isProblem(error, "validation_error") ? wrongPassword : causeOf(error);

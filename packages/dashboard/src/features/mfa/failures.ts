import { type ApiProblem, isProblem } from "@svc/client";
import { causeOf } from "../../ui/panels/Feedback.tsx";

const isLocked = (error: unknown): error is ApiProblem =>
  isProblem(error, "forbidden") && error.details.reason === "mfa_locked";

/** Why a code was not taken, in words for the field that it was typed into. */
export function codeFailure(error: unknown): string {
  if (isLocked(error)) {
    return "Too many wrong codes have locked the second factor for some minutes. Until then right codes are refused as well; trying does not prolong it.";
  }
  if (isProblem(error, "validation_error"))
    return "This code does not count: it is wrong, too old, or was used before.";
  if (isProblem(error, "conflict") && error.details.reason === "not_enrolled") {
    return "This account has no second factor any more. Load the page anew.";
  }
  return causeOf(error);
}

/** Why a password was not accepted, for the field that it was typed into. */
export const passwordFailure = (error: unknown): string =>
  isProblem(error, "validation_error")
    ? "That password is incorrect. Too many wrong passwords lock the account for a while."
    : causeOf(error);

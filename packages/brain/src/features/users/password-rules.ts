import { type PasswordFault, passwordFaults } from "../../platform/crypto/password-policy.ts";
import { type ApiError, invalid } from "../../platform/http/error-codes.ts";

const messages: Record<PasswordFault, (minChars: number) => string> = {
  too_short: (minChars) => `must have at least ${minChars} characters`,
  too_long: () => "is too long",
  too_few_classes: () => "must mix lowercase, uppercase, digits and symbols, or be longer",
  common: () => "is among the passwords that guessing begins with",
};

/** The 422 for a password that the policy refuses; null for one that it accepts. */
export function passwordRefusal(field: string, password: string, minChars: number): ApiError | null {
  return refusal(field, passwordFaults(password, minChars), minChars);
}

/** As `passwordRefusal` for the first administrator, whose password needs no mix of characters (spec part 2, Passwords). */
export function firstPasswordRefusal(field: string, password: string): ApiError | null {
  const faults = passwordFaults(password, minFirstPasswordChars);
  return refusal(
    field,
    faults.filter((fault) => fault !== "too_few_classes"),
    minFirstPasswordChars,
  );
}

export const minFirstPasswordChars = 8;

function refusal(field: string, faults: readonly PasswordFault[], minChars: number): ApiError | null {
  if (faults.length === 0) return null;
  const errors = faults.map((fault) => ({
    loc: ["body", field],
    type: `password_${fault}`,
    message: messages[fault](minChars),
  }));
  return invalid(errors);
}

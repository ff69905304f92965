/** The password policy: long, mixed unless very long, and not easily guessed. */
import { isCommonPassword } from "./common-passwords.ts";
import { isKeyboardSequence, isPersonal, isRepeated } from "./weak-patterns.ts";

const maxPasswordChars = 256;
/** From this length on the mix of characters no longer matters. */
const exemptChars = 16;
const requiredClasses = 3;
const characterClasses = {
  lowercase: /\p{Ll}/u,
  uppercase: /\p{Lu}/u,
  digit: /\p{Nd}/u,
  symbol: /[^\p{L}\p{N}]/u,
} as const;

export type PasswordFault =
  | "too_short"
  | "too_long"
  | "too_few_classes"
  | "sequence"
  | "repeated"
  | "personal"
  | "common";

/**
 * Every reason for which the policy refuses a password; empty when it is accepted. `about` holds the email address and the names of its
 * owner.
 */
export function passwordFaults(password: string, minChars: number, about: readonly string[] = []): PasswordFault[] {
  const faults: PasswordFault[] = [];
  const chars = [...password].length;
  if (chars < minChars) faults.push("too_short");
  // Longer ones are not checked further: the cost of the checks below grows with the length.
  if (password.length > maxPasswordChars) return ["too_long"];
  if (chars < exemptChars) {
    const present = Object.values(characterClasses).filter((pattern) => pattern.test(password)).length;
    if (present < requiredClasses) faults.push("too_few_classes");
  }
  const lower = password.normalize("NFKC").toLowerCase();
  if (isKeyboardSequence(lower)) faults.push("sequence");
  if (isRepeated(lower)) faults.push("repeated");
  if (isPersonal(lower, about)) faults.push("personal");
  if (isCommonPassword(lower)) faults.push("common");
  return faults;
}

/** The policy as GET /auth/policy shows it. */
export function passwordPolicy(minChars: number) {
  return {
    min_length: minChars,
    max_length: maxPasswordChars,
    required_character_classes: requiredClasses,
    character_class_names: Object.keys(characterClasses),
    exempt_length: exemptChars,
  };
}

import type { PasswordPolicy } from "@svc/client";

export interface PasswordRule {
  readonly text: string;
  /** Null for a rule that only the server can check. */
  readonly isMet: boolean | null;
}

/** The default policy, for pages without a session: the server reports its own only to signed-in users. */
export const shippedPolicy: PasswordPolicy = {
  min_length: 12,
  max_length: 256,
  required_character_classes: 3,
  character_class_names: ["lowercase", "uppercase", "digit", "symbol"],
  exempt_length: 16,
};

const classes: Readonly<Record<string, RegExp>> = {
  lowercase: /\p{Ll}/u,
  uppercase: /\p{Lu}/u,
  digit: /\p{Nd}/u,
  symbol: /[^\p{L}\p{N}]/u,
};

/** The rules of the policy and whether each is met. A preview; the server decides. */
export function passwordRules(password: string, policy: PasswordPolicy, isShipped: boolean): PasswordRule[] {
  const { min_length, max_length, required_character_classes, character_class_names, exempt_length } = policy;
  const length = [...password].length;
  const mixed = character_class_names.filter((name) => classes[name]?.test(password)).length;
  const rules: PasswordRule[] = [
    {
      text: `At least ${min_length} characters${isShipped ? ", unless this server requires more or fewer" : ""}`,
      isMet: length >= min_length,
    },
    {
      text: `${numberWord(required_character_classes)} of ${character_class_names.join(", ")}; or ${exempt_length} characters`,
      isMet: mixed >= required_character_classes || length >= exempt_length,
    },
    {
      text: "Not a common password, keyboard sequence, repetition, name or email address (checked on submit)",
      isMet: null,
    },
  ];
  if (password.length > max_length) rules.push({ text: `${max_length} characters or fewer`, isMet: false });
  return rules;
}

const words = ["None", "One", "Two", "Three", "Four"];
const numberWord = (number: number): string => words[number] ?? String(number);

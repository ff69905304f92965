import type { PasswordPolicy } from "@svc/client";

export interface PasswordRule {
  readonly text: string;
  /** Null for what only the server can tell. */
  readonly isMet: boolean | null;
}

/** The policy as it is shipped, for pages that nobody is signed in to: the server tells its own only to accounts. */
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

/** What the policy asks of a password, each with whether it is met. It explains; the server decides. */
export function passwordRules(password: string, policy: PasswordPolicy, isShipped: boolean): PasswordRule[] {
  const { min_length, max_length, required_character_classes, character_class_names, exempt_length } = policy;
  const length = [...password].length;
  const mixed = character_class_names.filter((name) => classes[name]?.test(password)).length;
  const rules: PasswordRule[] = [
    {
      text: `At least ${min_length} characters${isShipped ? ", unless this server is set otherwise" : ""}`,
      isMet: length >= min_length,
    },
    {
      text: `${numberWord(required_character_classes)} of ${character_class_names.join(", ")}; or ${exempt_length} characters`,
      isMet: mixed >= required_character_classes || length >= exempt_length,
    },
    {
      text: "No common password, keyboard sequence, repetition, name or email address; checked when you submit",
      isMet: null,
    },
  ];
  if (password.length > max_length) rules.push({ text: `At most ${max_length} characters`, isMet: false });
  return rules;
}

const words = ["None", "One", "Two", "Three", "Four"];
const numberWord = (number: number): string => words[number] ?? String(number);

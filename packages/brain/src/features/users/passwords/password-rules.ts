import { type PasswordFault, passwordFaults } from "../../../platform/crypto/password-policy.ts";
import { type ApiError, invalid } from "../../../platform/http/error-codes.ts";

const messages: Record<PasswordFault, (minChars: number) => string> = {
  too_short: (minChars) => `must have at least ${minChars} characters`,
  too_long: () => "is too long",
  too_few_classes: () => "must mix lowercase, uppercase, digits and symbols, or be longer",
  sequence: () => "must not be a sequence of adjacent keys, characters or digits",
  repeated: () => "must not repeat the same characters",
  personal: () => "must not consist of your name or email address",
  common: () => "must not be a common password, even with digits or symbols added",
};

/** The owner of the password; it must not be built from their names and address. */
export interface PasswordOwner {
  readonly email: string;
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
  readonly display_name?: string | null | undefined;
}

/** The 422 error for a password that the policy rejects; null when the policy accepts it. */
export function passwordRefusal(
  field: string,
  password: string,
  { minChars, owner }: { readonly minChars: number; readonly owner: PasswordOwner },
): ApiError | null {
  const { email, first_name, last_name, display_name } = owner;
  const about = [email, first_name, last_name, display_name].filter((text) => typeof text === "string");
  const faults = passwordFaults(password, minChars, about);
  if (faults.length === 0) return null;
  return invalid(
    faults.map((fault) => ({
      loc: ["body", field],
      type: `password_${fault}`,
      message: messages[fault](minChars),
    })),
  );
}

const separator = /[-_]/g;

/** Keys whose scalars are masked (spec 3 rule 2), without their separators: in matching, `-`, `_` and nothing are the same. */
const defaultKeys: ReadonlySet<string> = new Set(
  [
    ["password", "password_confirmation", "password_hash", "passwd", "pwd", "old_password", "new_password"],
    ["secret", "secrets", "client_secret", "webhook_secret", "hmac_secret"],
    ["token", "access_token", "refresh_token", "id_token", "api_token", "bearer_token", "session_token"],
    ["api_key", "x_api_key", "authorization", "auth", "credentials", "cookie", "set_cookie"],
    ["ssn", "social_security", "social_security_number"],
    ["credit_card", "credit_card_number", "card_number", "cvv", "cvc"],
  ]
    .flat()
    .map(foldKey),
);

function foldKey(key: string): string {
  return key.replace(separator, "").toLowerCase();
}

export interface KeyRuleOptions {
  readonly defaultsEnabled: boolean;
  readonly extraPatterns: readonly RegExp[];
}

/** Longest key that is looked at; a longer one counts as sensitive. Shorter with extra patterns, whose cost we do not know. */
export function longestKey(hasExtraPatterns: boolean): number {
  return hasExtraPatterns ? 64 : 256;
}

/** Tells whether everything below a key is to be masked. Extra patterns see the key as it is and without its separators. */
export function createKeyRule({ defaultsEnabled, extraPatterns }: KeyRuleOptions): (key: string) => boolean {
  const longest = longestKey(extraPatterns.length > 0);
  return (key) => {
    if (key.length > longest) return true;
    const folded = foldKey(key);
    if (defaultsEnabled && defaultKeys.has(folded)) return true;
    return extraPatterns.some((pattern) => pattern.test(key) || pattern.test(folded));
  };
}

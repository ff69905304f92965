/** A key is sensitive when it ends in one of these phrases. They are compared without separators. */
const listed = [
  ["password", "password_confirmation", "password_hash", "passwd", "pwd", "old_password", "new_password"],
  ["secret", "secrets", "client_secret", "webhook_secret", "hmac_secret"],
  ["token", "access_token", "refresh_token", "id_token", "api_token", "bearer_token", "session_token"],
  ["api_key", "x_api_key", "authorization", "auth", "credentials", "cookie", "set_cookie"],
  ["ssn", "social_security", "social_security_number"],
  ["credit_card", "credit_card_number", "card_number", "cvv", "cvc"],
  ["pass", "passphrase", "private_key", "signing_key", "encryption_key", "access_key", "secret_key"],
  ["otp", "iban", "account_number", "session_id", "csrf", "bearer", "jwt", "credential"],
]
  .flat()
  .map((phrase) => phrase.replaceAll("_", ""));

/** Sensitive only as the whole key: `map_pin` and `pin7` are not secrets. */
const wholeKeys: ReadonlySet<string> = new Set(["pin"]);

const phrases: ReadonlyMap<string, "value" | "plural"> = new Map([
  ...listed.map((phrase) => [`${phrase}s`, "plural"] as const),
  ...listed.map((phrase) => [phrase, "value"] as const),
]);
const longestPhrase = Math.max(...listed.map((phrase) => phrase.length + 1));

/** Unambiguous words that count without a word boundary: `dbpassword`, `csrfmiddlewaretoken`, `PGPASSWORD`. */
const unmistakable = /(?:password|passwd|passphrase|secret|token|(?:api|private|secret|access)key|credential)(s?)$/;

/** `value`: everything below the key is masked. `plural`: the same, except for a number, which is a count (`max_tokens: 4096`). */
export type KeyVerdict = "plain" | "value" | "plural";

export interface KeyRuleOptions {
  readonly defaultsEnabled: boolean;
  readonly extraPatterns: readonly RegExp[];
}

/** Maximum length of a key that is examined. A longer key counts as sensitive. Lower with extra patterns, whose cost is unknown. */
function longestKey(hasExtraPatterns: boolean): number {
  return hasExtraPatterns ? 64 : 256;
}

/** Classifies keys. Extra patterns are tried on the key with and without its separators. */
export function createKeyRule({ defaultsEnabled, extraPatterns }: KeyRuleOptions): (key: string) => KeyVerdict {
  const longest = longestKey(extraPatterns.length > 0);
  return (key) => {
    if (key.length > longest) return "value";
    if (extraPatterns.length > 0) {
      const folded = key.replace(/[-_]/g, "").toLowerCase();
      if (extraPatterns.some((pattern) => pattern.test(key) || pattern.test(folded))) return "value";
    }
    return defaultsEnabled ? verdictOf(key) : "plain";
  };
}

const beyondAscii = /[^\0-\x7f]/;
/** Fits the longest phrase with a separator after each character. */
const longestTail = 2 * longestPhrase;

/**
 * Reads the key from its end. Joins one more segment at a time and compares with the phrases, so a phrase matches however it is divided.
 * Trailing numbers and brackets only distinguish similar keys (`password2`, `api_key_1`, `token[0]`) and are ignored.
 */
function verdictOf(key: string): KeyVerdict {
  const text = beyondAscii.test(key) ? key.normalize("NFKC") : key;
  let end = text.length;
  while (end > 0 && !isLetter(text, end - 1)) end -= 1;
  if (end === 0) return "plain";
  const isWhole = end === text.length;
  let joined = "";
  let segmentEnd = end;
  const stop = Math.max(0, end - longestTail);
  for (let at = end - 1; at >= stop; at -= 1) {
    if (!isLetter(text, at)) {
      if (isDigit(text, at)) break;
      segmentEnd = at;
      continue;
    }
    if (at > 0 && !beginsSegment(text, at)) continue;
    joined = text.slice(at, segmentEnd).toLowerCase() + joined;
    segmentEnd = at;
    if (joined.length > longestPhrase) break;
    const found = phrases.get(joined);
    if (found !== undefined) return found;
  }
  if (isWhole && segmentEnd === 0 && wholeKeys.has(joined)) return "value";
  const ending = unmistakable.exec(text.slice(stop, end).toLowerCase());
  if (ending === null) return "plain";
  return ending[1] === "" ? "value" : "plural";
}

/** Whether a segment starts at `at`: after a non-letter, or where case changes (`userToken`, `APIKey`, `userJWTs`). */
function beginsSegment(text: string, at: number): boolean {
  if (!isLetter(text, at - 1)) return true;
  if (!isUpper(text, at)) return false;
  if (!isUpper(text, at - 1)) return true;
  // The last of several capitals starts a word when lower-case letters follow, except for the s of a plural.
  return isLower(text, at + 1) && !(text[at + 1] === "s" && !isLower(text, at + 2));
}

const letter = /\p{L}|\p{M}/u;

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return (code | 32) >= 97 && (code | 32) <= 122;
  return letter.test(text[at] as string);
}

function isUpper(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code >= 65 && code <= 90;
  const character = text[at];
  return character !== undefined && character !== character.toLowerCase();
}

function isLower(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code >= 97 && code <= 122;
  const character = text[at];
  return character !== undefined && character !== character.toUpperCase();
}

/**
 * Shapes of secrets (spec 3 rule 3). Each pattern runs in linear time: it begins with a literal, or with one character before one,
 * and no two of its repetitions can share characters, so a failed attempt costs its own run and attempts do not overlap.
 */
const families: readonly RegExp[] = [
  // A JSON Web Token: three base64url parts, the first starting eyJ, perhaps after a prefix that ends in a separator. Looking ahead
  // for the three parts first leaves nothing after eyJ to fail, so no part is walked again for each eyJ in it.
  /(?<![\w-])(?=[\w-]+\.[\w-]+\.[\w-])(?:[\w-]*[_-])?eyJ/i,
  /bearer\s+[\w.~+/=-]{16}/i,
  /[spr]k_(?:live|test)_[a-z0-9]{24}/i,
  /whsec_[\w+/=-]{24}/i,
  /xox[abp]-/i,
  /gh[pos]_[a-z0-9]{36}/i,
  /github_pat_\w{82}/i,
  /a[ks]ia[a-z0-9]{16}/i,
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/\w/i,
  /aiza[\w-]{35}/i,
  /\bsk[0-9a-f]{32}\b/i,
  /sg\.[\w-]{22}\.[\w-]{43}/i,
  // A URL with user:password@; the user may be empty.
  /:\/\/[^\s/?#:@]*:[^\s/?#@]+@/,
  /-----begin [a-z0-9 ]*private key/i,
  // An e-mail address, from the last character of its local part.
  /[^\s"(),:;<>@[\\\]]@(?:[a-z0-9\u00a1-\uffff-]+\.)+[a-z\u00a1-\uffff]{2}/i,
  /(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/,
];

const anyFamily = new RegExp(families.map((family) => family.source).join("|"), "i");

/** A character or beginning that every family needs, and characters that storage cannot hold: most strings end here. */
const familyHint =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is one of the characters looked for
  /[@\u0000\ud800-\udfff]|:\/\/|eyj|bearer|[spr]k_|whsec_|xox|gh[pos]_|github_|a[ks]ia|hooks\.|aiza|sk[0-9a-f]{8}|sg\.|-----b|\d{3}-\d\d-/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is one of the characters looked for
const unstorableHint = /[\u0000\ud800-\udfff]/;

export interface ValueRuleOptions {
  readonly defaultsEnabled: boolean;
  readonly extraPatterns: readonly RegExp[];
}

export interface ValueRule {
  /** Whether a string may hold a secret or a character to replace; false is final, true is a guess. */
  needsLook(text: string): boolean;
  isSecret(text: string): boolean;
}

export function createValueRule({ defaultsEnabled, extraPatterns }: ValueRuleOptions): ValueRule {
  const hint = defaultsEnabled ? familyHint : unstorableHint;
  const hitsExtra = (text: string) => extraPatterns.some((pattern) => pattern.test(text));
  return {
    needsLook: extraPatterns.length > 0 ? () => true : (text) => hint.test(text),
    isSecret: (text) => (defaultsEnabled && familyHint.test(text) && anyFamily.test(text)) || hitsExtra(text),
  };
}

export interface TextPart {
  text: string;
  /** The userinfo part of a URL (RFC 3986, section 3.2.1), which may contain a password. */
  isUserInfo: boolean;
}

// Up to the last @ of the word, not only of the authority: hiding too much is better than showing part of a password with a slash.
const word = /[^\s"]+/g;
const schemeEnd = "://";

/** Splits a value at the userinfo of the URLs in it. */
export function splitUserInfo(value: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: text, index } of value.matchAll(word)) {
    const scheme = text.indexOf(schemeEnd);
    const start = index + scheme + schemeEnd.length;
    const end = index + text.lastIndexOf("@");
    if (scheme < 0 || end <= start) continue;
    parts.push(
      { text: value.slice(from, start), isUserInfo: false },
      { text: value.slice(start, end), isUserInfo: true },
    );
    from = end;
  }
  if (from < value.length) parts.push({ text: value.slice(from), isUserInfo: false });
  return parts;
}

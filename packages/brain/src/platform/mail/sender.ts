/** A mailbox: who a mail comes from or goes to. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

const address = '[^\\s<>@,;:"\\x00-\\x1f\\x7f]+@[^\\s<>@,;:"\\x00-\\x1f\\x7f]+';
const bare = new RegExp(`^${address}$`);
const named = new RegExp(`^([^<>@"\\x00-\\x1f\\x7f]*)<(${address})>$`);

/** Whether a text is exactly one address that mail can be sent to. */
export const isAddress = (text: string): boolean => bare.test(text);

/** Reads `name@example.org` or `Name <name@example.org>`; null for anything else, lists and line breaks included. */
export function parseMailbox(text: string): Mailbox | null {
  if (isAddress(text)) return { name: "", address: text };
  const found = named.exec(text);
  return found === null ? null : { name: found[1]!.trim(), address: found[2]! };
}

/** Whether a text is the URL of a mail server: smtp or smtps, a host, and nothing after it. */
export function isMailUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isBare = (url.pathname === "" || url.pathname === "/") && url.search === "" && url.hash === "";
  return /^smtps?:$/.test(url.protocol) && url.hostname !== "" && isBare;
}

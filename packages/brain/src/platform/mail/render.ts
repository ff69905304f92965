/** The content of a mail. Every text is plain: `renderMail` makes it safe for HTML. */
export interface MailMessage {
  /** Names the kind of mail in the log. */
  readonly kind: string;
  readonly to: string;
  readonly subject: string;
  /** Paragraphs before the link. */
  readonly before: readonly string[];
  /** `url` is built from SVC_PUBLIC_URL, never from the request. */
  readonly link: { readonly label: string; readonly url: string };
  /** Paragraphs after it. */
  readonly after: readonly string[];
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail as plain text and as simple HTML without styles, pictures or scripts. */
export function renderMail({ subject, before, link, after }: MailMessage): RenderedMail {
  const paragraphs = (lines: readonly string[]) => lines.map((line) => `<p>${escaped(oneLine(line))}</p>`);
  const address = escaped(link.url);
  return {
    subject: oneLine(subject),
    text: `${[...before.map(oneLine), `${link.label}:\n${link.url}`, ...after.map(oneLine)].join("\n\n")}\n`,
    html: [
      '<!doctype html><html><head><meta charset="utf-8"></head><body>',
      ...paragraphs(before),
      `<p><a href="${address}">${escaped(link.label)}</a></p><p>${address}</p>`,
      ...paragraphs(after),
      "</body></html>",
    ].join("\n"),
  };
}

/** Names come from people: a line break in one must start neither a header nor a paragraph. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

/**
 * The setup page: rendered on the server, works without scripts, with one style sheet and one script of its own (the content security
 * policy allows no others).
 */
import type { ApiError } from "../../../platform/http/error-codes.ts";

export interface SetupForm {
  readonly token: string;
  readonly email: string;
  readonly displayName: string;
  /** When the newest link expires; null where it does not matter. */
  readonly expiresAt: Date | null;
  readonly now: Date;
  readonly minPasswordChars: number;
  readonly error: ApiError | null;
}

/** The page with its form, filled in except for the password. */
export function setupPage(form: SetupForm): string {
  const faulty = faultyFields(form.error);
  return document(`
    <form class="form" method="post" action="/setup">
      ${brand}
      <h1>Create the administrator</h1>
      <p class="hint">Creates the first account and the project <b>default</b>. This page closes afterwards.</p>
      ${form.error === null ? "" : `<p class="alert" role="alert">${escapeHtml(explain(form.error))}</p>`}
      ${field("token", "Setup token", {
        value: form.token,
        hint: tokenHint(form),
        isFaulty: faulty.has("token"),
        attributes: `autocomplete="off" spellcheck="false" minlength="10" maxlength="200" required${form.token === "" ? " autofocus" : ""}`,
      })}
      ${field("email", "Email", {
        value: form.email,
        isFaulty: faulty.has("email"),
        attributes: `type="email" autocomplete="username" minlength="3" maxlength="320" required${form.token === "" ? "" : " autofocus"}`,
      })}
      ${field("display_name", "Name (optional)", {
        value: form.displayName,
        isFaulty: faulty.has("display_name"),
        attributes: `autocomplete="name" maxlength="200"`,
      })}
      ${field("password", "Password", {
        value: "",
        hint: passwordRules(form.minPasswordChars),
        isFaulty: faulty.has("password"),
        attributes: `type="password" autocomplete="new-password" minlength="${form.minPasswordChars}" maxlength="256" required`,
      })}
      <button type="submit">Create and sign in</button>
    </form>`);
}

/** The page after setup. */
export function closedPage(): string {
  return document(`
    <div class="form">
      ${brand}
      <h1>Setup is complete</h1>
      <p class="hint">An administrator exists already.</p>
      <p><a href="/">Sign in</a></p>
    </div>`);
}

const brand = `<p class="brand"><span class="mark" aria-hidden="true">svc</span><span><b>svc</b><span>Task monitoring</span></span></p>`;

function document(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Setup · svc</title>
<link rel="stylesheet" href="/setup/page.css">
<link rel="icon" href="data:,">
<script src="/setup/page.js" defer></script>
</head>
<body>
<main>${content}
</main>
</body>
</html>
`;
}

interface Field {
  readonly value: string;
  /** As HTML. */
  readonly hint?: string;
  readonly isFaulty: boolean;
  readonly attributes: string;
}

function field(name: string, label: string, { value, hint, isFaulty, attributes }: Field): string {
  const described = hint === undefined ? "" : ` aria-describedby="${name}-hint"`;
  const note = hint === undefined ? "" : `<div class="hint" id="${name}-hint">${hint}</div>`;
  return `<div class="field${isFaulty ? " bad" : ""}"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${escapeHtml(
    value,
  )}"${isFaulty ? ' aria-invalid="true"' : ""}${described} ${attributes}>${note}</div>`;
}

function tokenHint({ expiresAt, now }: Pick<SetupForm, "expiresAt" | "now">): string {
  const where = "Open the link in the server log to fill this in, or paste the token.";
  if (expiresAt === null) return where;
  const leftSeconds = Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000));
  const until = `<time datetime="${expiresAt.toISOString()}">${expiresAt.toISOString().slice(11, 16)} UTC</time>`;
  // The script counts down from here, in seconds left because the browser's clock may be wrong.
  return `${where} The newest token works until ${until}: <b data-seconds-left="${leftSeconds}">${timeLeft(leftSeconds)}</b>.`;
}

const timeLeft = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  return `${minutes} ${minutes === 1 ? "minute" : "minutes"} left`;
};

const passwordRules = (minChars: number): string =>
  `<ul class="rules"><li data-rule="length" data-min-chars="${minChars}">${minChars} to 256 characters<span data-met></span></li><li data-rule="classes">Three of lowercase, uppercase, digit and symbol, or 16 characters<span data-met></span></li><li>Not a common password, keyboard sequence, repetition, your name or email address (checked when you submit)</li></ul>`;

function explain(error: ApiError): string {
  if (error.details.reason === "invalid_token") {
    return "This token is incorrect, used or expired. Reload this page, then use the newest link in the server log.";
  }
  if (error.code === "rate_limited") return "Too many attempts. Try again in a few minutes.";
  const faults = faultsOf(error);
  if (faults.length === 0) return `Nothing was created: ${error.message}.`;
  const sentences = faults.map(({ loc, message }) => `${labels[String(loc[1])] ?? "The form"} ${message}`);
  return `${[...new Set(sentences)].join(". ")}. Nothing was created.`;
}

const labels: Record<string, string> = {
  token: "The token",
  email: "The email address",
  display_name: "The name",
  password: "The password",
};

interface Fault {
  loc: (string | number)[];
  message: string;
}

const faultsOf = (error: ApiError | null): Fault[] => (error?.details.errors as Fault[] | undefined) ?? [];

function faultyFields(error: ApiError | null): Set<string> {
  const fields = faultsOf(error).map(({ loc }) => String(loc[1]));
  return new Set(error?.details.reason === "invalid_token" ? [...fields, "token"] : fields);
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character]!);
}

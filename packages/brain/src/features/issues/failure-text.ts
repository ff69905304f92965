/**
 * The text of a failure: `Class: message`. Engines report it in different ways: complete, as a class or a message only, as Python's repr, or
 * with the message in a separate member. Ingest converts all of them to this one form, so that all readers of a failure agree.
 */
export interface ReportedFailure {
  readonly exception: string;
  /** Member `exception_message` of the event; with it, `exception` may be only a class. */
  readonly message: string;
  readonly traceback: string;
}

export interface FailureParts {
  /** Null when the text names no class. */
  readonly errorClass: string | null;
  readonly message: string;
}

/** Patterns read at most this number of characters of a line. */
export const longestLine = 2000;

/** Node appends the code of its own errors to the class: `TypeError [ERR_INVALID_ARG_TYPE]: …`. */
const classAndMessage = /^([A-Za-z_$][\w$.]{0,199})(?: \[\w{1,100}\])?: ([\s\S]*)$/;
const word = /^[A-Za-z_$][\w$.]{0,199}$/;
/** `card.refused: …` is a message; nearly all lower-case Python classes end like these. */
const classBeforeMessage = /[A-Z]|\.(?:[a-z]*error|timeout)$/;
const classAlone = /(?:^|\.)[A-Z][\w$]*$/;
const pythonRepr = /^([A-Za-z_][\w.]{0,199})\(([\s\S]*)\)$/;
const errorName = /(?:Error|Exception|Warning)$/;
const quotedWhole = /^(?:'([^']*)'|"([^"]*)"),?$/;

/** Class and message of a text from `failureText`. */
export function splitFailure(text: string): FailureParts {
  const found = classAndMessage.exec(text);
  const errorClass = found?.[1];
  if (errorClass !== undefined && classBeforeMessage.test(errorClass)) return { errorClass, message: found?.[2] ?? "" };
  if (word.test(text) && classAlone.test(text)) return { errorClass: text, message: "" };
  return { errorClass: null, message: text };
}

/** `Class: message`, or only one of them when the other is unknown; empty when both are. */
export function failureText({ exception, message: ownMessage, traceback }: ReportedFailure): string {
  const line = raisedLine(traceback);
  const raised = splitFailure(line);
  let { errorClass, message } = splitReported(exception, raised);
  if (ownMessage !== "") {
    if (exception === ownMessage) errorClass = null;
    else if (errorClass === null && word.test(exception)) errorClass = exception;
    message = ownMessage;
  }
  errorClass ??= raised.errorClass;
  if (message === "") message = raised.errorClass === null ? line : raised.message;
  if (errorClass === null || errorClass === message) return message;
  return message === "" ? errorClass : `${errorClass}: ${message}`;
}

function splitReported(exception: string, raised: FailureParts): FailureParts {
  // A message may start like a class, as `Upstream: refused` does; the traceback decides.
  const isMessage = exception !== "" && raised.errorClass !== null && raised.message.startsWith(firstLine(exception));
  if (isMessage) return { errorClass: null, message: exception };
  const repr = pythonRepr.exec(exception);
  const [, reprClass = "", inner = ""] = repr ?? [];
  if (repr !== null && (reprClass === classNameOf(raised.errorClass) || errorName.test(reprClass))) {
    const quoted = quotedWhole.exec(inner);
    return { errorClass: reprClass, message: quoted?.[1] ?? quoted?.[2] ?? inner };
  }
  return splitFailure(exception);
}

const classNameOf = (errorClass: string | null): string | null =>
  errorClass === null ? null : errorClass.slice(errorClass.lastIndexOf(".") + 1);

/** The line of a traceback that names the error: the first one in JavaScript, the one after the last frame in Python. */
function raisedLine(traceback: string): string {
  const text = traceback.trim();
  const frame = text.includes('File "') ? text.lastIndexOf('File "') : -1;
  if (frame < 0 && !text.startsWith("Traceback (most recent")) {
    const first = firstLine(text);
    return first.startsWith("at ") ? "" : first;
  }
  for (let start = text.indexOf("\n", frame); start >= 0; start = text.indexOf("\n", start + 1)) {
    // Source lines and markers of a frame are indented.
    const next = text.slice(start + 1, start + 1 + longestLine);
    if (/^\S/.test(next)) return firstLine(next);
  }
  return "";
}

/** At most `longestLine` characters of it. */
export function firstLine(text: string): string {
  const line = text.slice(0, longestLine);
  const end = line.search(/[\r\n]/);
  return end < 0 ? line : line.slice(0, end);
}

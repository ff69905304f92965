// Parses Python and JavaScript tracebacks into frames. Other formats stay plain text.

export interface Frame {
  file: string;
  line: number | null;
  fn: string | null;
  source: string | null;
  isLibrary: boolean;
}

export interface TraceSection {
  /** The error text of the section; that of the first section is the task's own exception. */
  error: string | null;
  /** Innermost first. */
  frames: Frame[];
  /** Its relation to the section before it: its cause, or the exception being handled when it was raised. */
  link: "cause" | "context";
}

const libraryMarks =
  /(^|[\\/])(node_modules|site-packages|dist-packages)[\\/]|^node:|^internal\/|[\\/]lib[\\/]python3|^<frozen |^<anonymous>/;
const nodeFrame = /^\s*at (?:(?:async )?(.+?) \()?(?:file:\/\/)?((?:[A-Za-z]:)?[^()]*?):(\d+)(?::(\d+))?\)?(?: \{)?$/;
const nodeNative = /^\s*at (.+) \((native|<anonymous>)\)$/;
const pythonFrame = /^\s*File "([^"]+)", line (\d+)(?:, in ([\s\S]+))?$/;
const pythonHead = /^Traceback \(most recent call last\):$/;
/** Captures the rest of the line to avoid backtracking; `causeOf` trims it. */
const causeLine = /^\s*(?:\[cause\]:|Caused by:)([\s\S]*)$/;

/** Longer lines are not parsed as frames. */
const maximumLine = 2_000;

/** The sections of a traceback, the raised error first, then its causes; empty if it has no frames. */
export function readTrace(text: string): TraceSection[] {
  const lines = text.split(/\r\n|\n|\r/);
  const sections = lines.some((line) => pythonFrame.test(line)) ? readPython(lines) : readNode(lines);
  return sections.some((section) => section.frames.length > 0) ? sections : [];
}

function readNode(lines: string[]): TraceSection[] {
  const sections: TraceSection[] = [];
  let current: TraceSection = { error: null, frames: [], link: "cause" };
  let head: string[] = [];
  for (const line of lines) {
    const cause = causeOf(line);
    if (cause !== null) {
      sections.push(current);
      current = { error: cause || null, frames: [], link: "cause" };
      head = [];
      continue;
    }
    const frame = readNodeFrame(line);
    if (frame) {
      current.error ??= head.join("\n").trim() || null;
      current.frames.push(frame);
    } else if (current.frames.length === 0) head.push(line);
  }
  sections.push(current);
  return sections.filter((section) => section.frames.length > 0);
}

/** The error named by a cause line, without the trailing brace that Node prints; null for any other line. */
function causeOf(line: string): string | null {
  const rest = causeLine.exec(line)?.[1]?.trim();
  if (rest === undefined) return null;
  return rest.endsWith("{") ? rest.slice(0, -1).trimEnd() : rest;
}

function readNodeFrame(line: string): Frame | null {
  if (line.length > maximumLine) return null;
  const native = nodeNative.exec(line);
  if (native) return { file: native[2] ?? "native", line: null, fn: native[1] ?? null, source: null, isLibrary: true };
  const found = nodeFrame.exec(line);
  const file = found?.[2];
  if (!found || !file) return null;
  return { file, line: Number(found[3]), fn: found[1] ?? null, source: null, isLibrary: libraryMarks.test(file) };
}

function readPython(lines: string[]): TraceSection[] {
  const sections: TraceSection[] = [];
  let current: TraceSection = { error: null, frames: [], link: "cause" };
  const close = () => {
    if (current.frames.length > 0) sections.push({ ...current, frames: current.frames.reverse() });
    current = { error: null, frames: [], link: "cause" };
  };
  for (const [at, line] of lines.entries()) {
    if (pythonHead.test(line)) {
      close();
      continue;
    }
    // This line describes how the next section relates to the one above.
    const above = sections.at(-1);
    if (above && current.frames.length === 0 && line.startsWith("During handling of the above exception")) {
      above.link = "context";
      continue;
    }
    const found = pythonFrame.exec(line);
    if (found?.[1]) {
      const next = lines[at + 1] ?? "";
      const hasSource = /^\s{2,}\S/.test(next) && !pythonFrame.test(next);
      current.frames.push({
        file: found[1],
        line: Number(found[2]),
        fn: found[3] ?? null,
        source: hasSource ? next.trim() : null,
        isLibrary: libraryMarks.test(found[1]),
      });
    } else if (current.frames.length > 0 && /^[A-Za-z_][\w.]*(:|$)/.test(line)) {
      current.error = line;
      close();
    }
  }
  close();
  // Python prints causes first and the raised error last.
  return sections.reverse();
}

export type FrameGroup = { kind: "own"; frame: Frame } | { kind: "library"; frames: Frame[] };

/** Groups consecutive library frames; own frames stay separate. */
export function foldFrames(frames: readonly Frame[]): FrameGroup[] {
  const groups: FrameGroup[] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (!frame.isLibrary) groups.push({ kind: "own", frame });
    else if (last?.kind === "library") last.frames.push(frame);
    else groups.push({ kind: "library", frames: [frame] });
  }
  return groups;
}

/** The distinct libraries of the frames, such as `bullmq, ioredis`. */
export function librariesOf(frames: readonly Frame[]): string {
  const names = frames.map(({ file }) => {
    if (file.startsWith("node:")) return "node";
    const inside = /(?:node_modules|site-packages|dist-packages)[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/g;
    const found = [...file.matchAll(inside)].at(-1)?.[1];
    return found?.replace(/\.(py|js|mjs|cjs)$/, "") ?? "runtime";
  });
  return [...new Set(names)].join(", ");
}

/** Splits a dotted type, such as into `shop.errors.` and `PaymentError`. */
export function splitType(type: string): { module: string; name: string } {
  const at = type.lastIndexOf(".") + 1;
  return { module: type.slice(0, at), name: type.slice(at) };
}

/** The first line of an exception with the short type name, such as `PaymentError: upstream 503`. */
export function shortException(text: string): string {
  const { type, message } = splitException(text);
  const first = message.split("\n", 1)[0] ?? "";
  return type === null ? first : `${splitType(type).name}: ${first}`;
}

/** Type and message of an exception's text: `PaymentError: upstream 503` or `shop.PaymentError: ...`. */
export function splitException(text: string): { type: string | null; message: string } {
  const found = /^([A-Za-z_$][\w$.]{0,100})(?: \[\w+\])?: ([\s\S]*)$/.exec(text);
  const type = found?.[1];
  return type && /[A-Z]/.test(type) ? { type, message: found[2] ?? "" } : { type: null, message: text };
}

/** Type and message of a failure, from its text or, if that names no type, from the traceback. */
export function readFailure({
  exception,
  traceback = null,
}: {
  exception: string | null;
  traceback?: string | null;
}): ReturnType<typeof splitException> {
  const reported = splitException(exception ?? "");
  if (reported.type !== null || traceback === null) return reported;
  const { type, message } = splitException(readTrace(traceback)[0]?.error ?? "");
  return { type, message: reported.message || message };
}

/** The innermost own frame, such as `gateway.py:87`; null if all frames belong to libraries. */
export function placeOf(sections: readonly TraceSection[]): string | null {
  const own = sections.flatMap((section) => section.frames).find((frame) => !frame.isLibrary);
  if (!own) return null;
  const name = own.file.split(/[\\/]/).at(-1) ?? own.file;
  return own.line === null ? name : `${name}:${own.line}`;
}

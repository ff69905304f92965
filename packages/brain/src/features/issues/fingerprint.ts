import { hash } from "node:crypto";
import { splitFailure } from "./failure-text.ts";
import { templateOf } from "./template.ts";

/**
 * Failures are the same issue when they share the error class and the deepest five frames of the application's own code; without frames, the
 * class and the template of the message. Reads the redacted texts before the projection cuts them. Every pattern takes linear time.
 */
const version = "v2";
const deepestFrames = 5;

/** The fingerprint of a failure, 32 hex digits; null when both texts are missing or empty. The exception is in the form of `failureText`. */
export function fingerprintOf(exception: string | null, traceback: string | null): string | null {
  const text = exception ?? "";
  const trace = traceback ?? "";
  if (text === "" && trace === "") return null;
  const { errorClass, message } = splitFailure(text);
  const frames = deepestFramesOf(trace);
  const lines = [version, errorClass ?? "", ...(frames.length > 0 ? frames : [templateOf(message)])];
  return hash("sha256", lines.join("\n"), "hex").slice(0, 32);
}

/** `File "p", line n, in f`: the deepest call is the last one printed. */
const fileForm = /^File "([^"]+)", line \d+, in (.+)$/;
/**
 * `at f (p:n:m)` and `at p:n:m`: the deepest call is the first one printed. The place is searched after the first bracket only: a single
 * pattern with the name would search after every bracket.
 */
const namedForm = /^(.+?) \((.+)$/s;
const placeForm = /^(.+):\d+:\d+\)$/s;
const bareForm = /^(\S.*):\d+:\d+$/;
const ofLibrary = /(?:^|\/)(?:(?:node_modules|site-packages|dist-packages)\/|lib\/python)|^node:|^<frozen/;

interface Frame {
  readonly text: string;
  readonly isOwn: boolean;
}

/** The deepest five own frames of the application, or of all frames when none is its own. */
function deepestFramesOf(trace: string): string[] {
  const inward = trace.includes('File "') ? framesIn(trace.split("\n").reverse(), pythonFrame) : [];
  return inward.length > 0 ? inward : framesIn(linesOf(trace), javascriptFrame);
}

/** Read one by one: the deepest frames of JavaScript are the first ones. */
function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function framesIn(lines: Iterable<string>, read: (line: string) => Frame | null): string[] {
  const own: string[] = [];
  const any: string[] = [];
  for (const line of lines) {
    const frame = read(line.trim());
    if (frame === null) continue;
    if (any.length < deepestFrames) any.push(frame.text);
    if (frame.isOwn && own.push(frame.text) === deepestFrames) break;
  }
  return own.length > 0 ? own : any;
}

function pythonFrame(line: string): Frame | null {
  const found = line.startsWith("File ") ? fileForm.exec(line) : null;
  return found === null ? null : frameOf(found[1] as string, found[2] as string);
}

function javascriptFrame(line: string): Frame | null {
  if (!line.startsWith("at ")) return null;
  // Whether a call had been awaited before it threw makes no difference.
  const call = line.startsWith("async ", 3) ? line.slice(9) : line.slice(3);
  const named = namedForm.exec(call);
  const place = named === null ? null : placeForm.exec(named[2] as string);
  if (named !== null && place !== null) return frameOf(place[1] as string, named[1] as string);
  const bare = bareForm.exec(call);
  return bare === null ? null : frameOf(bare[1] as string, "");
}

function frameOf(path: string, name: string): Frame {
  const file = path.replaceAll("\\", "/");
  return { text: `${file.slice(file.lastIndexOf("/") + 1)}:${name.trim()}`, isOwn: !ofLibrary.test(file) };
}

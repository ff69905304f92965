/** Extra patterns come from the operator's settings. A bad one must fail at start-up, not slow down ingest later. */
export class RedactionPatternError extends Error {
  /** The reason, without the pattern. */
  readonly fault: string;
  constructor(pattern: string, fault: string, options?: ErrorOptions) {
    super(`the extra redaction pattern ${JSON.stringify(pattern)} ${fault}`, options);
    this.name = "RedactionPatternError";
    this.fault = fault;
  }
}

const keyLimits = { oneMs: 20, totalMs: 100 };
/** Allows a value pattern that is quadratic in a string of 8 KiB, and nothing slower. */
const valueLimits = { oneMs: 100, totalMs: 2_000 };
const keyLengths = Array.from({ length: 31 }, (_, step) => 4 + 2 * step);
const valueLengths = [...keyLengths, 128, 256, 512, 1_024, 2_048, 4_096, 8_192];
const commonBases = ["a", "0", "_", "-", " ", ".", "a0", "a_", "a-", "a.", "aA"];
const basesFromPattern = 16;

/** Compiles patterns that a whole key must match. Times each one on worst-case keys. */
export function compileKeyPatterns(sources: readonly string[]): RegExp[] {
  return sources.map((source) => {
    compile(source, source);
    const pattern = compile(source, `^(?:${source})$`);
    refuseSlow(source, pattern, keyLengths, keyLimits);
    return pattern;
  });
}

/** Compiles patterns whose match anywhere replaces a string. Times each one on worst-case strings. */
export function compileValuePatterns(sources: readonly string[]): RegExp[] {
  return sources.map((source) => {
    const pattern = compile(source, source);
    refuseSlow(source, pattern, valueLengths, valueLimits);
    return pattern;
  });
}

function compile(source: string, text: string): RegExp {
  if (source === "") throw new RedactionPatternError(source, "is empty");
  try {
    return new RegExp(text, "i");
  } catch (error) {
    throw new RedactionPatternError(source, "is invalid", { cause: error });
  }
}

/** Lengths increase step by step, so an exponential pattern is caught while it still terminates. */
function refuseSlow(source: string, pattern: RegExp, lengths: readonly number[], limits: typeof keyLimits): void {
  const ownCharacters = [...new Set(source.replace(/\W/g, ""))].slice(0, basesFromPattern);
  let totalMs = 0;
  for (const base of new Set([...commonBases, ...ownCharacters])) {
    for (const length of lengths) {
      // The last character prevents a full match, so a backtracking pattern tries every alternative.
      const text = `${base.repeat(Math.ceil(length / base.length)).slice(0, length - 1)}!`;
      const spentMs = timeOf(pattern, text, limits.oneMs);
      totalMs += spentMs;
      if (spentMs > limits.oneMs || totalMs > limits.totalMs) {
        throw new RedactionPatternError(source, "takes too long");
      }
    }
  }
}

/** The best of up to three runs, so a busy machine does not refuse a fast pattern. Stops at the first run within the limit. */
function timeOf(pattern: RegExp, text: string, limitMs: number): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && bestMs > limitMs; round += 1) {
    const before = performance.now();
    pattern.test(text);
    bestMs = Math.min(bestMs, performance.now() - before);
  }
  return bestMs;
}

/**
 * A JSON parser with an explicit stack, so nesting uses heap memory and never the call stack. `JSON.parse` hides number lexemes, and its
 * reviver with source access recurses.
 */
export class JsonSyntaxError extends Error {
  readonly at: number;
  constructor(what: string, at: number) {
    super(`${what} at character ${at}`);
    this.name = "JsonSyntaxError";
    this.at = at;
  }
}

type Container = Record<string, unknown> | unknown[];

const numberForm = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids unescaped control characters
const plainRun = /[^"\\\u0000-\u001f]*/y;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Copies a slice. V8 makes a longer slice a view that would keep the whole text in memory. */
export function detached(slice: string): string {
  return slice.length < 13 ? slice : ` ${slice}`.slice(1);
}

/** Sets an own property even for the key `__proto__`, where an assignment would set the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/**
 * Parses JSON text. Of duplicate keys the last one wins. `numberOf` converts each number lexeme.
 *
 * @throws JsonSyntaxError when the text is not JSON.
 */
export function readJson(text: string, numberOf: (lexeme: string) => unknown): unknown {
  let at = 0;

  const fail = (what: string): never => {
    throw new JsonSyntaxError(what, at);
  };
  const skipSpace = (): number => {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      at += 1;
    }
  };
  const readString = (): string => {
    at += 1;
    let result = "";
    for (;;) {
      plainRun.lastIndex = at;
      plainRun.test(text);
      const end = plainRun.lastIndex;
      if (end > at) result += text.slice(at, end);
      at = end;
      const code = text.charCodeAt(at);
      if (code === 34) {
        at += 1;
        return detached(result);
      }
      if (code !== 92) return fail("unterminated string or control character");
      const letter = text.charAt(at + 1);
      if (letter === "u") {
        const hex = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail("bad unicode escape");
        result += String.fromCharCode(Number.parseInt(hex, 16));
        at += 6;
      } else {
        result += escapes[letter] ?? fail("bad escape");
        at += 2;
      }
    }
  };
  const word = (expected: string, value: unknown): unknown => {
    if (!text.startsWith(expected, at)) fail("unexpected character");
    at += expected.length;
    return value;
  };
  const readKey = (): string => {
    if (skipSpace() !== 34) fail("expected a key");
    const key = readString();
    if (skipSpace() !== 58) fail("expected a colon");
    at += 1;
    return key;
  };

  // Two parallel stacks: the open containers from the outside in, and for each object the current key.
  const containers: Container[] = [];
  const keys: string[] = [];
  for (;;) {
    let value: unknown;
    switch (skipSpace()) {
      case 123: {
        at += 1;
        value = {};
        if (skipSpace() === 125) {
          at += 1;
          break;
        }
        containers.push(value as Container);
        keys.push(readKey());
        continue;
      }
      case 91: {
        at += 1;
        value = [];
        if (skipSpace() === 93) {
          at += 1;
          break;
        }
        containers.push(value as Container);
        keys.push("");
        continue;
      }
      case 34:
        value = readString();
        break;
      case 116:
        value = word("true", true);
        break;
      case 102:
        value = word("false", false);
        break;
      case 110:
        value = word("null", null);
        break;
      default: {
        numberForm.lastIndex = at;
        if (!numberForm.test(text)) fail("unexpected character");
        value = numberOf(text.slice(at, numberForm.lastIndex));
        at = numberForm.lastIndex;
      }
    }
    // Adds a finished value to its container, which may finish that container too, and so on outwards.
    for (;;) {
      const container = containers[containers.length - 1];
      if (container === undefined) {
        if (!Number.isNaN(skipSpace())) fail("text after the value");
        return value;
      }
      const isArray = Array.isArray(container);
      if (isArray) container.push(value);
      else setOwn(container, keys[keys.length - 1] as string, value);
      const code = skipSpace();
      if (code === 44) {
        at += 1;
        if (!isArray) keys[keys.length - 1] = readKey();
        break;
      }
      if (code !== (isArray ? 93 : 125)) fail("expected a comma or the end");
      at += 1;
      value = container;
      containers.pop();
      keys.pop();
    }
  }
}

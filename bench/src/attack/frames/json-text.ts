/**
 * JSON as the independent verifier reads it: any depth, numbers by their lexemes, and the canonical form of the wire protocol. It shares no
 * code with packages/protocol.
 */
type Lexeme<Kind> = { readonly kind: Kind; readonly text: string };
type Scalar = Lexeme<"string"> | Lexeme<"integer"> | Lexeme<"float"> | Lexeme<"word">;
type JsonArray = { readonly kind: "array"; readonly items: Node[] };
export type JsonObject = { readonly kind: "object"; readonly members: Map<string, Node> };
export type Node = Scalar | JsonArray | JsonObject;

class NotJson extends Error {}
/** Valid JSON without a canonical form: a lone surrogate, or a number that overflows a double. */
export class NotCanonical extends Error {}

const numberForm = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const spaces = " \t\n\r";
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

/** Parses a JSON text (RFC 8259) of any depth into nodes; the last duplicate key applies. @throws NotJson */
export function readText(text: string): Node {
  let at = 0;
  const skip = () => {
    while (at < text.length && spaces.includes(text[at] as string)) at += 1;
  };

  function readString(): string {
    if (text[at] !== '"') throw new NotJson("a string was expected");
    let value = "";
    let from = at + 1;
    for (at += 1; ; at += 1) {
      const code = text.charCodeAt(at);
      if (Number.isNaN(code) || code < 0x20) throw new NotJson("an open or broken string");
      if (code === 0x22) break;
      if (code !== 0x5c) continue;
      value += text.slice(from, at);
      const sign = text[at + 1] ?? "";
      if (sign === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new NotJson("a broken escape");
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 5;
      } else {
        const plain = escapes[sign];
        if (plain === undefined) throw new NotJson("an unknown escape");
        value += plain;
        at += 1;
      }
      from = at + 1;
    }
    value += text.slice(from, at);
    at += 1;
    return value;
  }

  function readScalar(): Scalar {
    if (text[at] === '"') return { kind: "string", text: readString() };
    for (const word of ["true", "false", "null"]) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return { kind: "word", text: word };
    }
    numberForm.lastIndex = at;
    const match = numberForm.exec(text);
    if (match === null) throw new NotJson("no value");
    at += match[0].length;
    const isFloat = match[1] !== undefined || match[2] !== undefined;
    return { kind: isFloat ? "float" : "integer", text: match[0] };
  }

  // The open containers, outermost first, each with the key for its next value.
  const open: { node: JsonArray | JsonObject; key: string }[] = [];
  let root: Node | undefined;
  const place = (node: Node) => {
    const parent = open.at(-1);
    if (parent === undefined) root = node;
    else if (parent.node.kind === "array") parent.node.items.push(node);
    else parent.node.members.set(parent.key, node);
  };
  const readKey = (parent: { key: string }) => {
    skip();
    parent.key = readString();
    skip();
    if (text[at] !== ":") throw new NotJson("no colon");
    at += 1;
  };

  for (;;) {
    skip();
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      const node: JsonArray | JsonObject =
        sign === "{" ? { kind: "object", members: new Map() } : { kind: "array", items: [] };
      place(node);
      at += 1;
      skip();
      if (text[at] !== (sign === "{" ? "}" : "]")) {
        const parent = { node, key: "" };
        open.push(parent);
        if (node.kind === "object") readKey(parent);
        continue;
      }
      at += 1;
    } else place(readScalar());

    // After a value: close the containers that end here, or continue with the next member.
    for (;;) {
      skip();
      const parent = open.at(-1);
      if (parent === undefined) {
        if (at !== text.length || root === undefined) throw new NotJson("text after the value");
        return root;
      }
      const next = text[at];
      at += 1;
      if (next === ",") {
        if (parent.node.kind === "object") readKey(parent);
        break;
      }
      if (next !== (parent.node.kind === "object" ? "}" : "]")) throw new NotJson("no comma");
      open.pop();
    }
  }
}

/** A number lexeme in canonical form. @throws NotCanonical when it overflows a double */
export function canonicalNumber(lexeme: string): string {
  if (!/[.eE]/.test(lexeme)) return lexeme === "-0" ? "0" : lexeme;
  const value = Number(lexeme);
  if (!Number.isFinite(value)) throw new NotCanonical("a number that overflows a double");
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  // The shortest digits that read back to the same double, and the decimal exponent of the first of them.
  const [mantissa, power] = Math.abs(value).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  const sign = value < 0 ? "-" : "";
  if (exponent >= 16 || exponent <= -5) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** Whether a number lexeme is in canonical form; false when it overflows a double. */
export function isCanonicalNumber(lexeme: string): boolean {
  return (!/[.eE]/.test(lexeme) || Number.isFinite(Number(lexeme))) && canonicalNumber(lexeme) === lexeme;
}

/** The lexemes of all numbers in a node, at any depth. */
export function numbersOf(root: Node): string[] {
  const lexemes: string[] = [];
  const pending: Node[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === "integer" || next.kind === "float") lexemes.push(next.text);
    else if (next.kind === "array") for (const item of next.items) pending.push(item);
    else if (next.kind === "object") for (const member of next.members.values()) pending.push(member);
  }
  return lexemes;
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new NotCanonical("a lone surrogate");
  let text = '"';
  let from = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code >= 0x20 && code !== 0x22 && code !== 0x5c) continue;
    const sign = value[at] as string;
    const escaped = code >= 0x20 ? `\\${sign}` : (shortEscapes[sign] ?? `\\u${code.toString(16).padStart(4, "0")}`);
    text += value.slice(from, at) + escaped;
    from = at + 1;
  }
  return `${text}${value.slice(from)}"`;
}

/** UTF-8 sorts like code points. */
const byCodePoint = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

/** The canonical text of a node of any depth. @throws NotCanonical */
export function canonicalOf(root: Node): string {
  const parts: string[] = [];
  const pending: (Node | string)[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === "string") parts.push(next);
    else if (next.kind === "string") parts.push(canonicalString(next.text));
    else if (next.kind === "word") parts.push(next.text);
    else if (next.kind === "integer" || next.kind === "float") parts.push(canonicalNumber(next.text));
    else if (next.kind === "array") {
      parts.push("[");
      pending.push("]");
      for (let index = next.items.length - 1; index >= 0; index -= 1) {
        pending.push(next.items[index] as Node);
        if (index > 0) pending.push(",");
      }
    } else {
      parts.push("{");
      pending.push("}");
      const keys = [...next.members.keys()].sort(byCodePoint);
      for (let index = keys.length - 1; index >= 0; index -= 1) {
        const key = keys[index] as string;
        pending.push(next.members.get(key) as Node, `${index > 0 ? "," : ""}${canonicalString(key)}:`);
      }
    }
  }
  return parts.join("");
}

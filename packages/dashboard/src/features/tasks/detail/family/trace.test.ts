import { growthOfReader } from "@svc/testkit/expressions";
import { describe, expect, test } from "vitest";
import {
  foldFrames,
  librariesOf,
  placeOf,
  readFailure,
  readTrace,
  shortException,
  splitException,
  splitType,
} from "./trace.ts";

const node = `PaymentError: upstream 503
    at GatewayClient.post (/app/src/gateway.ts:87:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async Worker.processJob (file:///app/node_modules/bullmq/dist/worker.js:512:28)
    at /app/src/tasks.ts:64:19 {
  [cause]: ReadTimeout: read timed out
      at TLSSocket.onTimeout (/app/node_modules/undici/lib/client.js:210:13)
}`;

const python = `Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/requests/adapters.py", line 713, in send
    raise ReadTimeout(e)
requests.ReadTimeout: read timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/celery/app/trace.py", line 453, in trace_task
    R = retval = fun(*args, **kwargs)
  File "/app/billing/tasks.py", line 64, in charge
    receipt = gateway.charge(sub)
  File "/app/billing/gateway.py", line 87, in _post
    raise PaymentError(status)
billing.PaymentError: upstream 503
`;

describe("readTrace", () => {
  test("parses JavaScript frames and the cause after them", () => {
    const [raised, cause] = readTrace(node);
    expect(raised?.frames.map((frame) => [frame.file, frame.line, frame.fn, frame.isLibrary])).toEqual([
      ["/app/src/gateway.ts", 87, "GatewayClient.post", false],
      ["node:internal/process/task_queues", 105, "process.processTicksAndRejections", true],
      ["/app/node_modules/bullmq/dist/worker.js", 512, "Worker.processJob", true],
      ["/app/src/tasks.ts", 64, null, false],
    ]);
    expect(cause).toMatchObject({ error: "ReadTimeout: read timed out", frames: [{ line: 210, isLibrary: true }] });
  });

  test("parses Python frames, innermost first, with source, and the raised error before its cause", () => {
    const [raised, cause] = readTrace(python);
    expect(raised?.error).toBe("billing.PaymentError: upstream 503");
    expect(raised?.frames.map((frame) => [frame.file, frame.source])).toEqual([
      ["/app/billing/gateway.py", "raise PaymentError(status)"],
      ["/app/billing/tasks.py", "receipt = gateway.charge(sub)"],
      ["/usr/lib/python3.12/site-packages/celery/app/trace.py", "R = retval = fun(*args, **kwargs)"],
    ]);
    expect(cause?.error).toBe("requests.ReadTimeout: read timed out");
  });

  test("finds no frames in other text", () => {
    expect(readTrace("it broke\nsomehow")).toEqual([]);
    expect(readTrace("")).toEqual([]);
  });

  test("does not match lines that are too long for a frame", () => {
    expect(readTrace(`    at f (/app/${"a".repeat(2_000)}.ts:1:1)`)).toEqual([]);
  });
});

describe("a line crafted to cause backtracking", () => {
  const frame = "    at f (/app/a.ts:1:1)";

  test("is parsed in one pass with any spaces and line separators", () => {
    const [, cause] = readTrace(`E: x\n${frame}\nCaused by:${" ".repeat(200)}a\u2028a  {\n${frame}`);
    expect(cause).toMatchObject({ error: "a\u2028a", frames: [{ file: "/app/a.ts" }] });
  });

  test("takes linear time", () => {
    const lines = [
      " at ",
      " (",
      ":1",
      "\nCaused by: ",
      `\n${frame}`,
      '\n  File "/a.py", line 1, in f',
      '", line 0, in ,',
    ];
    expect(growthOfReader((text) => readTrace(`E: x\n${text}`), lines)).toMatchObject({ worst: null });
  });

  test("ends a Python file name at the first quotation mark", () => {
    const line = `  File "/app/a.py", line 1, in f${'", line 0, in ,'.repeat(50)}\u2028`;
    expect(readTrace(line)[0]?.frames[0]).toMatchObject({ file: "/app/a.py", line: 1 });
  });
});

describe("foldFrames", () => {
  test("groups consecutive library frames", () => {
    const frames = readTrace(node)[0]?.frames ?? [];
    const groups = foldFrames(frames);
    expect(groups.map((group) => (group.kind === "own" ? group.frame.line : group.frames.length))).toEqual([87, 2, 64]);
    expect(librariesOf(frames.filter((frame) => frame.isLibrary))).toBe("node, bullmq");
  });
});

describe("splitException", () => {
  test.each([
    ["PaymentError: upstream 503", "PaymentError", "upstream 503"],
    ["billing.PaymentError: a: b", "billing.PaymentError", "a: b"],
    ["Error [ERR_X]: nope", "Error", "nope"],
    ["something: lower case is prose", null, "something: lower case is prose"],
    ["", null, ""],
  ])("splits %o", (text, type, message) => {
    expect(splitException(text)).toEqual({ type, message });
  });
});

describe("readFailure", () => {
  const traceback = "TypeError: x is not a function\n    at charge (/srv/app/charge.js:4:2)";
  test.each([
    ["its text", "CardError: refused", "CardError", "refused"],
    ["the traceback where the text names no class", "x is not a function", "TypeError", "x is not a function"],
    ["the traceback alone", null, "TypeError", "x is not a function"],
  ])("reads class and message from %s", (_, exception, type, message) => {
    expect(readFailure({ exception, traceback })).toEqual({ type, message });
  });

  test("has no type without a traceback", () => {
    expect(readFailure({ exception: "refused", traceback: null })).toEqual({ type: null, message: "refused" });
  });
});

describe("one line of a failure", () => {
  test.each([
    ["billing.errors.PaymentError: upstream 503\nmore", "PaymentError: upstream 503"],
    ["PaymentError: upstream 503", "PaymentError: upstream 503"],
    ["it just broke", "it just broke"],
    ["", ""],
  ])("of %j is %j", (text, line) => {
    expect(shortException(text)).toBe(line);
  });

  test("separates the module from the name of a type", () => {
    expect(splitType("billing.errors.PaymentError")).toEqual({ module: "billing.errors.", name: "PaymentError" });
    expect(splitType("TypeError")).toEqual({ module: "", name: "TypeError" });
  });
});

describe("placeOf", () => {
  test("is the innermost own frame", () => {
    expect(placeOf(readTrace(node))).toBe("gateway.ts:87");
    expect(placeOf(readTrace(python))).toBe("gateway.py:87");
  });

  test("is null if all frames belong to libraries", () => {
    expect(placeOf(readTrace("E: x\n    at f (/app/node_modules/a/b.js:1:1)"))).toBeNull();
    expect(placeOf([])).toBeNull();
  });
});

test("an error raised while handling another is distinguished from a cause", () => {
  const links = (between: string) =>
    readTrace(
      `Traceback (most recent call last):
  File "/app/a.py", line 1, in a
    raise A
A: first

${between}

Traceback (most recent call last):
  File "/app/b.py", line 2, in b
    raise B
B: second
`,
    ).map((section) => [section.error, section.link]);
  expect(links("During handling of the above exception, another exception occurred:")).toEqual([
    ["B: second", "cause"],
    ["A: first", "context"],
  ]);
  expect(links("The above exception was the direct cause of the following exception:")[1]).toEqual([
    "A: first",
    "cause",
  ]);
});

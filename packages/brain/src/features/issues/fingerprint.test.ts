import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintOf } from "./fingerprint.ts";

const python = (...frames: string[]) =>
  ["Traceback (most recent call last):", ...frames.map((frame) => `${frame}\n    call()`), "ValueError: no"].join("\n");
const pythonFrame = (path: string, name: string, line = 1) => `  File "${path}", line ${line}, in ${name}`;
const javascript = (...frames: string[]) => ["Error: no", ...frames.map((frame) => `    at ${frame}`)].join("\n");

describe("the fingerprint of a failure", () => {
  test("is null when there is neither exception nor traceback", () => {
    expect([fingerprintOf(null, null), fingerprintOf("", "")]).toEqual([null, null]);
  });

  test("is the digest of version, error class and own frames, or of the template where there are none", () => {
    // printf 'v2\nTypeError\ncharge.js:charge\nrun.js:run' | sha256sum | cut -c -32
    const trace = javascript("charge (/srv/app/charge.js:4:2)", "async run (/srv/app/run.js:9:1)");
    expect(fingerprintOf("TypeError: no card", trace)).toBe("285f4e472278951327cc193bd7ee17e1");
    // printf 'v2\nTypeError\ncard refused for order <n>' | sha256sum | cut -c -32
    expect(fingerprintOf("TypeError: card refused for order 679", null)).toBe("7c0054c125598e97f2f0eee045960dae");
  });

  test("ignores the values of a message, whatever their length", () => {
    expect(fingerprintOf("card refused for order 679", null)).toBe(fingerprintOf("card refused for order 680", null));
    fc.assert(
      fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (one, other) => {
        const of = (order: bigint) => fingerprintOf(`CardError: card refused for order ${order}`, null);
        expect(of(one)).toBe(of(other));
      }),
    );
  });

  test("ignores the message when there are frames", () => {
    const trace = javascript("send (/srv/app/mail.js:4:2)");
    expect(fingerprintOf("Error: one", trace)).toBe(fingerprintOf("Error: quite another", trace));
    expect(fingerprintOf("Error: one", trace)).not.toBe(fingerprintOf("TypeError: one", trace));
  });

  test("includes the error class and the words of a message without frames", () => {
    expect(fingerprintOf("A: card refused", null)).not.toBe(fingerprintOf("B: card refused", null));
    expect(fingerprintOf("A: card refused", null)).not.toBe(fingerprintOf("A: card expired", null));
  });

  test.each([
    ["folders", "send (/srv/ann/mail.js:4:2)", "send (/home/bob/mail.js:4:2)"],
    ["separators", "send (/srv/app/mail.js:4:2)", "send (C:\\app\\mail.js:4:2)"],
    ["lines", "send (/srv/app/mail.js:4:2)", "send (/srv/app/mail.js:40:9)"],
    ["whether a call was awaited", "send (/srv/app/mail.js:4:2)", "async send (file:///srv/app/mail.js:4:2)"],
    ["whether a nameless one was", "/srv/app/mail.js:4:2", "async file:///srv/app/mail.js:4:2"],
  ])("ignores %s in JavaScript", (_, one, other) => {
    expect(fingerprintOf("E", javascript(one))).toBe(fingerprintOf("E", javascript(other)));
  });

  test("ignores folders and lines of Python", () => {
    const of = (path: string, line: number) => fingerprintOf("E", python(pythonFrame(path, "send", line)));
    expect(of("/home/ann/mail.py", 44)).toBe(of("C:\\bob\\mail.py", 45));
    expect(of("/home/ann/mail.py", 44)).not.toBe(of("/home/ann/post.py", 44));
  });

  test.each([
    ["node_modules", "/srv/app/node_modules/bullmq/worker.js"],
    ["node_modules on Windows", "C:\\app\\node_modules\\bullmq\\worker.js"],
    ["site-packages", "/usr/venv/site-packages/celery/app.py"],
    ["dist-packages", "/usr/share/dist-packages/celery/app.py"],
    ["lib/python", "/usr/lib/python3.12/socket.py"],
    ["node:", "node:internal/process/task_queues"],
    ["<frozen", "<frozen importlib._bootstrap>"],
  ])("excludes frames of %s", (_, path) => {
    const own = (library: string[]) => [
      fingerprintOf("E", javascript("send (/srv/app/mail.js:4:2)", ...library.map((name) => `${name} (${path}:9:1)`))),
      fingerprintOf("E", python(pythonFrame("mail.py", "send"), ...library.map((name) => pythonFrame(path, name)))),
    ];
    expect(own(["one"])).toEqual(own([]));
    expect(own(["one", "two"])).toEqual(own([]));
  });

  test("does not mistake a folder of a similar name for a library", () => {
    const of = (path: string) => fingerprintOf("E", javascript("a (/srv/app/a.js:1:1)", `b (${path}:1:1)`));
    expect(of("/srv/my_node_modules/b.js")).not.toBe(of("/srv/node_modules/b.js"));
  });

  test("uses the deepest five frames when none is the application's own", () => {
    const of = (outer: string, inner = "a") =>
      fingerprintOf(
        "E",
        javascript(...[inner, "b", "c", "d", "e", outer].map((name) => `${name} (/srv/node_modules/x.js:1:1)`)),
      );
    expect(of("one")).toBe(of("two"));
    expect(of("one")).not.toBe(of("one", "other"));
  });

  test("uses only the deepest five own frames of each form", () => {
    const inPython = (outer: string) =>
      fingerprintOf("E", python(...[outer, "a", "b", "c", "d", "e"].map((name) => pythonFrame("x.py", name))));
    expect(inPython("one")).toBe(inPython("two"));
    const inJavascript = (outer: string) =>
      fingerprintOf("E", javascript(...["e", "d", "c", "b", "a", outer].map((name) => `${name} (x.js:1:1)`)));
    expect(inJavascript("one")).toBe(inJavascript("two"));
    expect(fingerprintOf("E", javascript("x.js:1:1"))).not.toBe(fingerprintOf("E", javascript("y.js:1:1")));
  });

  test("takes the place from the first bracket after a name, and only at the end of the line", () => {
    const frame = (line: string) => fingerprintOf("E", javascript(line));
    expect(frame("a (b) (/srv/x.js:1:2)")).toBe(frame("a (x.js:1:9)"));
    expect(frame("a (x.js:1:2) (y.js:3:4)")).toBe(frame("a (x.js:1:2) (y.js:3:9)"));
    expect(frame(`a (${"folder/".repeat(1_000)}x.js:1:2)`)).toBe(frame("a (x.js:1:9)"));
    expect(frame("a (:1:2)")).toBe(fingerprintOf("E", null));
  });

  test("is computed in linear time: adversarial text takes well below the limit of a test", () => {
    // A quadratic pattern would need about 10^10 steps for each of these.
    const half = 100_000;
    const fill = (body: string) => body.repeat(Math.ceil(half / body.length));
    const bodies = ["at ", " (", ":1", " (:1:", "1", "a", " ", '"', "a.", "/", "'a", "-", "\r", '", line 1'].map(fill);
    for (const beginning of ["", "at ", "at f (", 'File "', 'File "x", line 1, in ', "A: ", "A("]) {
      for (const first of bodies) {
        for (const second of bodies) {
          const text = `${beginning}${first}${second}!`;
          expect(fingerprintOf(text, text)).toMatch(/^[0-9a-f]{32}$/);
        }
      }
    }
  });
});

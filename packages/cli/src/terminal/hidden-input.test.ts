import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { askHidden } from "./hidden-input.ts";
import { readPassword } from "./read-password.ts";

/** A terminal that records its output and its raw modes. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
  });
  const output = new PassThrough();
  output.setEncoding("utf8");
  return { input, output, modes, written: () => String(output.read() ?? "") };
}

const questions = ["New password: ", "Repeat password: "];

describe("askHidden", () => {
  test("reads one line per question without echo, and restores the terminal", async () => {
    const { input, output, modes, written } = terminal();
    input.write("correct horse\rcorrect");
    input.write(" horse\r");
    expect(await askHidden(questions, input, output)).toEqual(["correct horse", "correct horse"]);
    expect(written()).toBe("New password: \nRepeat password: \n");
    expect(modes).toEqual([true, false]);
  });

  test.each([
    ["the previous character", "horsf\u007fe\r", "horse"],
    ["a character of several bytes", "häß\u007f\u007f\u007fhorse\r", "horse"],
    ["the line", "wrong\u0015horse\r", "horse"],
  ])("erases %s", async (_what, typed, expected) => {
    const { input, output } = terminal();
    input.write(typed);
    expect(await askHidden(["? "], input, output)).toEqual([expected]);
  });

  test("ignores arrow keys and other control characters", async () => {
    const { input, output } = terminal();
    input.write("ho\u001b[D\u001bOA\u0001rse\t\r");
    expect(await askHidden(["? "], input, output)).toEqual(["horse"]);
  });

  test.each([
    ["Ctrl-C", "secr\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("exits with 130 for %s, and restores the terminal", async (_key, typed) => {
    const { input, output, modes } = terminal();
    input.write(typed);
    await expect(askHidden(questions, input, output)).rejects.toMatchObject({ exit: "interrupted" });
    expect(modes).toEqual([true, false]);
  });

  test("exits with 130 when the terminal disconnects", async () => {
    const { input, output } = terminal();
    input.end("half");
    await expect(askHidden(questions, input, output)).rejects.toMatchObject({ exit: "interrupted" });
  });
});

describe("readPassword", () => {
  const nothing = { given: undefined, variable: "SVC_NEW_PASSWORD", fromStdin: false };

  test("asks twice, and refuses two that differ", async () => {
    const { input, output } = terminal();
    input.write("one horse\rother horse\r");
    await expect(readPassword(nothing, input, output)).rejects.toMatchObject({ exit: "failed" });
  });

  test("prefers the first line of piped input to the environment", async () => {
    const piped = new PassThrough();
    piped.end("correct horse\r\nrest\n");
    const sources = { ...nothing, given: "of the environment", fromStdin: true };
    expect(await readPassword(sources, piped, new PassThrough())).toBe("correct horse");
  });

  test("uses the password of the environment without asking", async () => {
    const { input, output, written } = terminal();
    expect(await readPassword({ ...nothing, given: "of the environment" }, input, output)).toBe("of the environment");
    expect(written()).toBe("");
  });

  test.each([
    ["nothing", ""],
    ["an empty line", "\n"],
    ["a whole file", `${"x".repeat(5000)}\n`],
  ])("refuses %s on standard input", async (_what, text) => {
    const piped = new PassThrough();
    piped.end(text);
    const reading = readPassword({ ...nothing, fromStdin: true }, piped, new PassThrough());
    await expect(reading).rejects.toMatchObject({ exit: "usage" });
  });

  test("refuses to ask without a terminal, and names the alternatives", async () => {
    const reading = readPassword(nothing, new PassThrough(), new PassThrough());
    await expect(reading).rejects.toThrow(/--stdin or SVC_NEW_PASSWORD/);
  });
});

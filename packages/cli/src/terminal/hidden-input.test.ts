import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { askHidden } from "./hidden-input.ts";
import { readPassword } from "./read-password.ts";

/** A terminal that keeps what is written to it, and whether it shows what is typed. */
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

const questions = ["New password: ", "Once more: "];

describe("askHidden", () => {
  test("takes one line for each question, shows none of it, and gives the terminal back", async () => {
    const { input, output, modes, written } = terminal();
    input.write("correct horse\rcorrect");
    input.write(" horse\r");
    expect(await askHidden(questions, input, output)).toEqual(["correct horse", "correct horse"]);
    expect(written()).toBe("New password: \nOnce more: \n");
    expect(modes).toEqual([true, false]);
  });

  test.each([
    ["the letter before", "horsf\u007fe\r", "horse"],
    ["a letter of several bytes", "häß\u007f\u007f\u007fhorse\r", "horse"],
    ["the line", "wrong\u0015horse\r", "horse"],
  ])("erases %s", async (_what, typed, expected) => {
    const { input, output } = terminal();
    input.write(typed);
    expect(await askHidden(["? "], input, output)).toEqual([expected]);
  });

  test("ignores arrow keys and other control letters", async () => {
    const { input, output } = terminal();
    input.write("ho\u001b[D\u001bOA\u0001rse\t\r");
    expect(await askHidden(["? "], input, output)).toEqual(["horse"]);
  });

  test.each([
    ["Ctrl-C", "secr\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("ends with 130 for %s, and gives the terminal back", async (_key, typed) => {
    const { input, output, modes } = terminal();
    input.write(typed);
    await expect(askHidden(questions, input, output)).rejects.toMatchObject({ exit: "interrupted" });
    expect(modes).toEqual([true, false]);
  });

  test("ends with 130 when the terminal is gone", async () => {
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

  test("takes the first line of what is piped in, in preference to the environment", async () => {
    const piped = new PassThrough();
    piped.end("correct horse\r\nrest\n");
    const sources = { ...nothing, given: "of the environment", fromStdin: true };
    expect(await readPassword(sources, piped, new PassThrough())).toBe("correct horse");
  });

  test("takes the one of the environment without asking", async () => {
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

  test("refuses to ask where nobody sits, and says how else", async () => {
    const reading = readPassword(nothing, new PassThrough(), new PassThrough());
    await expect(reading).rejects.toThrow(/--stdin or SVC_NEW_PASSWORD/);
  });
});

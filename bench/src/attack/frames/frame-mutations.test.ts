import { expect, test } from "vitest";
import { createRandom, FrameSource, otherSpellings } from "./frame-mutations.ts";
import { type FrameSession, judgeMessage } from "./frame-verifier.ts";

const session: FrameSession = {
  secret: Buffer.alloc(32, 7),
  agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  projectId: "11111111-2222-4333-8444-555555555555",
  sessionId: "99999999-8888-4777-8666-555555555555",
};

test("all non-canonical spellings of numbers are tried in frames signed over their own bytes", () => {
  const source = new FrameSource(createRandom(20_260_102), session, () => Date.UTC(2026, 0, 2));
  const untried = new Set(otherSpellings);
  for (let made = 0; made < 20_000 && untried.size > 0; made += 1)
    for (const number of judgeMessage(source.next().message, session).otherSpellings) untried.delete(number);
  expect(otherSpellings).toEqual(expect.arrayContaining(["-0", "1.50", "1E3", "1e15", "0.00001", "1e999"]));
  expect(otherSpellings).not.toContain("1.0");
  expect([...untried]).toEqual([]);
});

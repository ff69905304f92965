import { expect } from "vitest";
import type { Case } from "../case.ts";

const secret = "hunter2-planted";
const bearer = `Bearer ${"abcdefghijklmnopqrstuvwxyz"}0123456789`;

/** The form in which inputs, results and errors leave the machine. */
export const payloads: readonly Case[] = [
  {
    name: "an object as input is reported as kwargs, any other input as the only entry of args",
    async run({ submit, awaitEvent, reported }) {
      const inputs = [{ to: [1, { deep: null }], "": "ä\u{1f600}" }, [1, "two"], "text", 7.5, false];
      for (const input of inputs) {
        const id = await submit({ name: "echo", input });
        const { data } = await awaitEvent(id, "task.succeeded");

        const isObject = typeof input === "object" && !Array.isArray(input);
        const { args = [], kwargs = {} } = reported(id)[0]?.data ?? {};
        expect({ args, kwargs }).toEqual(isObject ? { args: [], kwargs: input } : { args: [input], kwargs: {} });
        expect(data.result).toEqual(input);
      }
    },
  },
  {
    name: "secrets in inputs, results and errors do not leave the agent",
    async run({ peer, submit, awaitEvent, reported, send, engine }) {
      const input = { password: secret, list: [{ api_key: secret }], harmless: "seen" };
      const well = await submit({ name: "echo", input });
      const badly = await submit({ name: "fail", input: { message: `refused: ${bearer}` } });

      const succeeded = await awaitEvent(well, "task.succeeded");
      const failed = await awaitEvent(badly, "task.failed");
      if (engine.advertises.includes("reconcile_task")) {
        await send("reconcile_task", { engine: engine.engine, task_id: badly });
      }

      expect(reported(well)[0]?.data.kwargs).toMatchObject({ password: "[REDACTED]", harmless: "seen" });
      expect(succeeded.data.result).toMatchObject({ password: "[REDACTED]", list: [{ api_key: "[REDACTED]" }] });
      expect(failed.data.exception).toBe("[REDACTED]");
      const sent = JSON.stringify(peer.record.frames);
      expect([sent.includes(secret), sent.includes(bearer)]).toEqual([false, false]);
    },
  },
  {
    name: "large values are shortened, and their secrets are still masked",
    async run({ peer, submit, awaitEvent, reported, agent }) {
      const losses = JSON.stringify(agent.status().loss);
      const text = "x".repeat(300_000);
      const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`member-${n}`, n]));
      const well = await submit({ name: "echo", input: { password: secret, text } });
      const wide = await submit({ name: "echo", input: { password: secret, many } });
      const badly = await submit({ name: "fail", input: { message: text } });

      const ends = [
        await awaitEvent(well, "task.succeeded"),
        await awaitEvent(wide, "task.succeeded"),
        await awaitEvent(badly, "task.failed"),
      ];

      for (const event of [...reported(well), ...reported(wide), ...reported(badly)])
        expect(JSON.stringify(event).length).toBeLessThan(200_000);
      expect(String(ends[2]?.data.exception)).toMatch(/^(Error: )?x{1000}/);
      expect(JSON.stringify(reported(well)[0]?.data.kwargs)).toMatch(/x{1000}/);
      const sent = JSON.stringify(peer.record.frames);
      expect(sent.includes(secret)).toBe(false);
      expect(JSON.stringify(agent.status().loss)).toBe(losses);
    },
  },
];

import type { Command } from "@svc/client";
import { duration } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";
import css from "./commands.module.css";

const widthPx = 64;

/** The time until the agent received the command, and the time the agent took. */
export function timesOf(command: Command, now: number): { waitMs: number; runMs: number | null } {
  const issued = instant(command.issued_at);
  const sent = instant(command.dispatched_at);
  const ended = instant(command.completed_at);
  const end = Number.isNaN(ended) ? (command.status === "timeout" ? instant(command.timeout_at) : now) : ended;
  if (Number.isNaN(sent)) return { waitMs: Math.max(0, end - issued), runMs: null };
  return { waitMs: Math.max(0, sent - issued), runMs: Math.max(0, end - sent) };
}

/** The two times as a bar of two parts, with a text. */
export function CommandTimes({ command, now }: { command: Command; now: number }) {
  const { waitMs, runMs } = timesOf(command, now);
  const whole = Math.max(1, waitMs + (runMs ?? 0));
  const waitPx = (waitMs / whole) * widthPx;
  const text = `waited ${duration(waitMs)}${runMs === null ? "" : `, with the agent for ${duration(runMs)}`}`;
  return (
    <span className={css.times} title={text}>
      <svg width={widthPx} height="6" aria-hidden="true">
        <rect className={css.wait} width={waitPx} height="6" />
        {runMs === null ? null : <rect className={css.run} x={waitPx} width={widthPx - waitPx} height="6" />}
      </svg>
      <span aria-hidden="true">{duration(whole)}</span>
      <span className="vh">{text}</span>
    </span>
  );
}

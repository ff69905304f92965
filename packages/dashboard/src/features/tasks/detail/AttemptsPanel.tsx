import { useState } from "react";
import controls from "../../../ui/controls.module.css";
import { duration, printable } from "../../../ui/format.ts";
import { Icon } from "../../../ui/Icon.tsx";
import { clockText, useZone } from "../../../ui/instants.ts";
import panel from "../../../ui/panel.module.css";
import { ScrollBox } from "../../../ui/ScrollBox.tsx";
import { StatePill } from "../../../ui/StatePill.tsx";
import type { Attempt } from "./attempts.ts";
import { Trace } from "./FailurePanel.tsx";
import css from "./task.module.css";

interface AttemptsPanelProps {
  attempts: readonly Attempt[];
  maxAttempts: number | null;
}

export function AttemptsPanel({ attempts, maxAttempts }: AttemptsPanelProps) {
  const { zone, label } = useZone();
  const [opened, setOpened] = useState<number | null>(null);
  return (
    <section className={panel.panel} id="attempts" aria-labelledby="h-attempts">
      <header>
        <h2 id="h-attempts">Attempts</h2>
        <span className="t3">newest first{maxAttempts === null ? "" : `; at most ${maxAttempts}`}</span>
      </header>
      {attempts.length === 0 ? (
        <p className={css.empty}>It has not started yet.</p>
      ) : (
        <ScrollBox label="Attempts">
          <table className={panel.tbl}>
            <thead>
              <tr>
                <th className="num">#</th>
                <th>State</th>
                <th className="lg">Worker</th>
                <th className="lg">Started, {label}</th>
                <th className="num">Run</th>
                <th className="num lg">Then</th>
                <th>Error</th>
              </tr>
            </thead>
            <tbody>
              {attempts.toReversed().map((attempt) => {
                const isOpen = opened === attempt.number;
                return [
                  <tr key={attempt.number}>
                    <td className="num">{attempt.number + 1}</td>
                    <td>
                      <StatePill state={attempt.state} bare />
                    </td>
                    <td className="lg">{attempt.worker ? printable(attempt.worker) : "–"}</td>
                    <td className="lg t2">
                      {attempt.startedAt === null ? "not seen" : clockText(attempt.startedAt, zone)}
                    </td>
                    <td className="num">{attempt.runMs === null ? "–" : duration(attempt.runMs)}</td>
                    <td className="num t2 lg">{pauseAfter(attempt, attempts)}</td>
                    <td className={panel.long}>
                      {attempt.traceback ? (
                        <button
                          type="button"
                          className={controls.lnk}
                          aria-expanded={isOpen}
                          aria-label={`Traceback of attempt ${attempt.number + 1}`}
                          onClick={() => setOpened(isOpen ? null : attempt.number)}
                        >
                          <Icon name={isOpen ? "caret" : "right"} />
                        </button>
                      ) : null}
                      {printable((attempt.exception ?? "").split("\n", 1)[0] ?? "")}
                    </td>
                  </tr>,
                  isOpen && attempt.traceback ? (
                    <tr key={`${attempt.number} trace`}>
                      <td colSpan={7} className={css.traced}>
                        <Trace text={attempt.traceback} />
                      </td>
                    </tr>
                  ) : null,
                ];
              })}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {attempts.length > 1 ? <p className={panel.foot}>{compare(attempts)}</p> : null}
    </section>
  );
}

function pauseAfter(attempt: Attempt, attempts: readonly Attempt[]): string {
  const next = attempts.find((one) => one.number > attempt.number);
  if (!next) return attempt.endedAt === null ? "" : "end";
  if (next.startedAt === null || attempt.endedAt === null) return "";
  return `+ ${duration(next.startedAt - attempt.endedAt)}`;
}

function compare(attempts: readonly Attempt[]): string {
  const errors = new Set(attempts.map((attempt) => attempt.exception).filter(Boolean));
  const last = attempts.at(-1);
  const failed = attempts.filter((attempt) => attempt.exception !== null).length;
  const outcome = last?.state === "success" ? `Attempt ${last.number + 1} succeeded. ` : "";
  if (failed < 2) return outcome;
  return `${outcome}${errors.size === 1 ? `All ${failed} failures say the same.` : `${failed} failures with ${errors.size} different messages.`}`;
}

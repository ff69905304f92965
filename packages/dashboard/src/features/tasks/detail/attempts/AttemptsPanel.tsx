import { useMemo, useState } from "react";
import { Button } from "../../../../ui/buttons/Button.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { PanelFrame } from "../../../../ui/panels/PanelFrame.tsx";
import panel from "../../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../../ui/panels/ScrollBox.tsx";
import { StateGlyph, StatePill } from "../../../../ui/StatePill.tsx";
import { duration, printable } from "../../../../ui/time/format.ts";
import { clockText, useZone } from "../../../../ui/time/instants.ts";
import { Trace } from "../failure/FailurePanel.tsx";
import { shortException } from "../family/trace.ts";
import css from "../task.module.css";
import { attemptChange, attemptPlace } from "./attempt-change.ts";
import type { Attempt } from "./attempts.ts";

interface AttemptsPanelProps {
  attempts: readonly Attempt[];
  maxAttempts: number | null;
  /** Older events, which are not loaded, may report more attempts. */
  isCut: boolean;
}

export function AttemptsPanel({ attempts, maxAttempts, isCut }: AttemptsPanelProps) {
  const { zone, label } = useZone();
  const [opened, setOpened] = useState<number | null>(null);
  return (
    <PanelFrame
      id="attempts"
      className={css.attempts}
      title="Attempts"
      note={`newest first${limitText(attempts, maxAttempts)}${isCut ? ", from the newest 500 events" : ""}`}
    >
      <ScrollBox label="Attempts">
        <table className={panel.tbl}>
          <thead>
            <tr>
              <th className="num">#</th>
              <th>State</th>
              <th className="lg">Worker</th>
              <th className={`lg ${css.started}`}>Started, {label}</th>
              <th className="num">Run</th>
              <th className="num lg">Backoff</th>
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
                  <td className={`lg t2 ${css.started}`}>
                    {attempt.startedAt === null ? "not reported" : clockText(attempt.startedAt, zone)}
                  </td>
                  <td className="num">{attempt.runMs === null ? "–" : duration(attempt.runMs)}</td>
                  <td className="num t2 lg">{pauseAfter(attempt, attempts)}</td>
                  <td className={panel.long}>
                    {attempt.traceback ? (
                      <Button
                        variant="link"
                        icon={isOpen ? "caret" : "right"}
                        aria-expanded={isOpen}
                        aria-label={`Traceback of attempt ${attempt.number + 1}`}
                        onClick={() => setOpened(isOpen ? null : attempt.number)}
                      />
                    ) : null}
                    {errorLine(attempt)}
                  </td>
                </tr>,
                isOpen && attempt.traceback ? (
                  <tr key={`${attempt.number} trace`}>
                    <td colSpan={7} className={css.traced}>
                      <Trace text={attempt.traceback} name={`Traceback of attempt ${attempt.number + 1}`} />
                    </td>
                  </tr>
                ) : null,
              ];
            })}
          </tbody>
        </table>
      </ScrollBox>
      {attempts.length > 1 ? <Comparison attempts={attempts} /> : null}
    </PanelFrame>
  );
}

function limitText(attempts: readonly Attempt[], maxAttempts: number | null): string {
  if (maxAttempts === null) return "";
  const last = attempts.at(-1);
  const isSpent = last !== undefined && last.number + 1 >= maxAttempts && last.state === "failure";
  return `, maximum ${maxAttempts}${isSpent ? ", none left" : ""}`;
}

function errorLine(attempt: Attempt): string {
  const place = attemptPlace(attempt);
  const error = attempt.exception === null ? "" : printable(shortException(attempt.exception));
  return [error, place === null ? null : `in ${printable(place)}`].filter(Boolean).join(", ");
}

function pauseAfter(attempt: Attempt, attempts: readonly Attempt[]): string {
  const next = attempts.find((one) => one.number > attempt.number);
  if (!next) return attempt.endedAt === null ? "" : "–";
  if (next.startedAt === null || attempt.endedAt === null) return "";
  return `+ ${duration(next.startedAt - attempt.endedAt)}`;
}

/** What two attempts have in common and where they differ, without guessing why. */
function Comparison({ attempts }: { attempts: readonly Attempt[] }) {
  const change = useMemo(() => attemptChange(attempts), [attempts]);
  if (change === null) return null;
  const { from, to, changed, same } = change;
  return (
    <section className={css.strip} aria-label={`Attempt ${from.number + 1} compared with attempt ${to.number + 1}`}>
      <span className={css.pair}>
        <StateGlyph state={from.state} />
        <b>{from.number + 1}</b>
        <Icon name="right" />
        <StateGlyph state={to.state} />
        <b>{to.number + 1}</b>
      </span>
      {changed.map(({ field, from: before, to: after }) => (
        <span key={field} className={css.change}>
          <span className="t3">{field}</span> <span className={css.before}>{before}</span>
          <Icon name="right" />
          <span className="vh">then </span>
          <b>{after}</b>
        </span>
      ))}
      {changed.length === 0 ? <span>No reported differences.</span> : null}
      {same.length > 0 ? <span className="t3">same {same.join(", ")}</span> : null}
    </section>
  );
}

import type { AuditVerification, DeepHealth, HealthCheck } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useState } from "react";
import { useTimedMs } from "../../../live/live.ts";
import { useIsPhone } from "../../../ui/appearance.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import { count } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { deepHealthQuery } from "../../admin/index.ts";
import css from "../audit.module.css";

/** What is known of the chain, as three things that are known in three ways. Together they are no proof of anything more. */
export function ChainPanel() {
  const read = useQuery({ ...deepHealthQuery, refetchInterval: useTimedMs(60_000) });
  // On a phone the three words, and what was looked at when somebody asks.
  const [isOpen, setOpen] = useState(!useIsPhone());
  return (
    <Panel
      title="Chain of the whole installation"
      window={isOpen ? "each line says what was looked at" : undefined}
      actions={
        <Button variant="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : "Details"}
        </Button>
      }
      read={read}
      rows={3}
    >
      {(health) => (
        <ShowsDetails value={isOpen}>
          <Lines health={health} />
        </ShowsDetails>
      )}
    </Panel>
  );
}

const ShowsDetails = createContext(true);

function Lines({ health }: { health: DeepHealth }) {
  const check = health.checks.audit_chain;
  return (
    <dl className={css.chain}>
      <Line name="State" says={stateOf(check)}>
        State only, rows not read.
      </Line>
      <RowsLine verification={check?.verification} />
      <Line name="Anchor" says={{ word: "not checked here", glyph: "unknown" }}>
        Write the head down: <Command text="svc audit export-head FILE" /> Later hold the chain against it:{" "}
        <Command text="svc audit verify-anchor FILE" />
      </Line>
    </dl>
  );
}

interface Verdict {
  word: string;
  glyph: string;
  isWrong?: boolean;
}

function stateOf(check: HealthCheck | undefined): Verdict {
  if (check === undefined) return { word: "not told", glyph: "unknown" };
  if (check.status === "failed") {
    return { word: `not authenticated${check.detail ? `: ${check.detail}` : ""}`, glyph: "failure", isWrong: true };
  }
  return check.activated ? { word: "authenticated", glyph: "success" } : { word: "no chain yet", glyph: "pending" };
}

function RowsLine({ verification }: { verification: AuditVerification | undefined }) {
  const last = verification?.last;
  const isOn = verification?.enabled === true;
  const byHand = (
    <>
      By hand: <Command text="svc audit verify" />
    </>
  );
  const schedule = isOn ? null : (
    <>
      {" "}
      Not scheduled: <code>SVC_AUDIT_CHAIN_VERIFY_ENABLED</code> turns it on.
    </>
  );
  if (last === undefined) {
    return (
      <Line name="Rows" says={{ word: isOn ? "not verified yet" : "not verified", glyph: "unknown" }}>
        {isOn ? "The first scheduled verification has not ended." : schedule} {byHand}
      </Line>
    );
  }
  const verdict: Verdict =
    last.outcome === "clean"
      ? { word: "clean", glyph: "success" }
      : last.outcome === "failed"
        ? { word: "failed", glyph: "failure", isWrong: true }
        : { word: "could not be done", glyph: "timeout", isWrong: true };
  return (
    <Line name="Rows" says={verdict}>
      {last.rows === undefined ? "" : `${count(last.rows)} rows in order, `}
      {last.row_id === undefined ? null : (
        <>
          then the first bad row: <Command text={last.row_id} />{" "}
        </>
      )}
      by the scheduled verification <Age at={last.finished_at} suffix=" ago" />
      {schedule} {byHand}
    </Line>
  );
}

function Line({ name, says, children }: { name: string; says: Verdict; children: ReactNode }) {
  const showsDetails = useContext(ShowsDetails);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b className={says.isWrong ? css.wrong : undefined}>
          <Glyph name={says.glyph} />
          {says.word}
        </b>
        {showsDetails ? <span className="t2">{children}</span> : null}
      </dd>
    </div>
  );
}

function Command({ text }: { text: string }) {
  return (
    <span className={css.command}>
      <code>{text}</code>
      <CopyButton text={text} name={`Copy ${text}`} />
    </span>
  );
}

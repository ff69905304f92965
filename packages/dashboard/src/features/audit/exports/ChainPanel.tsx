import { type AuditVerification, type HealthCheck, plural } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTimedMs } from "../../../live/live.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { Age } from "../../../ui/time/Stamp.tsx";
import { deepHealthQuery } from "../../admin/index.ts";
import css from "../audit.module.css";

/** One line on the integrity of the installation's audit log; Details lists the checks. */
export function ChainPanel() {
  const read = useQuery({ ...deepHealthQuery, refetchInterval: useTimedMs(60_000) });
  const [isOpen, setOpen] = useState(false);
  const check = read.data?.checks.audit_chain;
  const status: Verdict | null =
    read.data !== undefined
      ? statusOf(check)
      : read.isError
        ? { word: "Couldn't check the audit chain", glyph: "unknown" }
        : null;
  return (
    <PanelFrame
      title="Integrity"
      note={<span role="status">{status === null ? "Checking…" : <Word verdict={status} />}</span>}
      actions={
        <Button variant="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide details" : "Details"}
        </Button>
      }
    >
      {isOpen ? (
        <QueryBoundary name="The audit chain" read={read} rows={3}>
          <dl className={css.chain}>
            <Line name="Head" verdict={headOf(check)}>
              Checked on every start and by this page. The rows themselves are not read.
            </Line>
            <RowsLine verification={check?.verification} />
            <Line name="Anchor" verdict={{ word: "not checked here", glyph: "unknown" }}>
              Export the head: <Command text="svc audit export-head FILE" /> Verify against it later:{" "}
              <Command text="svc audit verify-anchor FILE" />
            </Line>
          </dl>
        </QueryBoundary>
      ) : null}
    </PanelFrame>
  );
}

interface Verdict {
  word: string;
  glyph: string;
  isBad?: boolean;
}

function headOf(check: HealthCheck | undefined): Verdict {
  if (check === undefined) return { word: "unknown", glyph: "unknown" };
  if (check.status === "failed") {
    return { word: `invalid${check.detail ? `: ${check.detail}` : ""}`, glyph: "failure", isBad: true };
  }
  return check.activated ? { word: "valid", glyph: "success" } : { word: "no entries yet", glyph: "pending" };
}

function rowsOf(verification: AuditVerification | undefined): Verdict {
  const outcome = verification?.last?.outcome;
  if (outcome === "clean") return { word: "verified", glyph: "success" };
  if (outcome === "failed") return { word: "failed verification", glyph: "failure", isBad: true };
  if (outcome !== undefined) return { word: "couldn't be verified", glyph: "timeout", isBad: true };
  return { word: "not verified", glyph: "unknown" };
}

/** The worse of both verdicts, as a sentence. */
function statusOf(check: HealthCheck | undefined): Verdict {
  const head = headOf(check);
  const rows = rowsOf(check?.verification);
  if (head.isBad) return { ...head, word: "The audit log was changed outside of svc, or its key is wrong" };
  if (rows.isBad) return { ...rows, word: `Rows ${rows.word}` };
  if (head.glyph !== "success") return { ...head, word: `Audit chain: ${head.word}` };
  return { word: `Head of the chain valid, rows ${rows.word}`, glyph: "success" };
}

function RowsLine({ verification }: { verification: AuditVerification | undefined }) {
  const last = verification?.last;
  return (
    <Line name="Rows" verdict={rowsOf(verification)}>
      {last === undefined ? null : (
        <>
          {last.rows === undefined ? "" : `${plural(last.rows, "valid row")}, `}
          {last.row_id === undefined ? null : (
            <>
              then the first bad row: <Command text={last.row_id} />,{" "}
            </>
          )}
          verified <Age at={last.finished_at} suffix=" ago" />.{" "}
        </>
      )}
      {verification?.enabled === true ? (
        last === undefined && "The first scheduled verification has not finished. "
      ) : (
        <>
          Not scheduled. Turn verification on with <code>SVC_AUDIT_CHAIN_VERIFY_ENABLED</code>.{" "}
        </>
      )}
      Verify now: <Command text="svc audit verify" />
    </Line>
  );
}

function Line({ name, verdict, children }: { name: string; verdict: Verdict; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Word verdict={verdict} />
        <span className="t2">{children}</span>
      </dd>
    </div>
  );
}

function Word({ verdict }: { verdict: Verdict }) {
  return (
    <b className={verdict.isBad ? `${css.verdict} ${css.wrong}` : css.verdict}>
      <Glyph name={verdict.glyph} />
      {verdict.word}
    </b>
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

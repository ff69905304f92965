import { useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { drawerClass } from "../../../ui/layers/Layers.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count, printable } from "../../../ui/time/format.ts";
import { useZone } from "../../../ui/time/instants.ts";
import { roleIn, useMe } from "../../sessions/index.ts";
import css from "../audit.module.css";
import { actorText, type Names, targetName } from "../labels.ts";
import { type Change, changesIn } from "./changes.ts";
import { Address, Outcome, type Recorded, RowProject, RowTime } from "./RecordTable.tsx";
import { useAgentNames } from "./use-agent-names.ts";

interface RowDrawerProps {
  row: Recorded;
  names: Names;
  /** Narrows the list to the action or user of the entry. */
  onOnly: (filter: { action?: string; user?: string }) => void;
  /** Whether the list has a filter for the user. */
  hasUserFilter: boolean;
  onClose: () => void;
}

/** The whole entry next to its list. Not modal: j and k move through the list behind it. */
export function RowDrawer({ row, names, onOnly, hasUserFilter, onClose }: RowDrawerProps) {
  const me = useMe();
  const { zone } = useZone();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.show();
    return () => dialog?.close();
  }, []);
  const { user_id: userId } = row;
  const targetHref = useTargetHref(row);
  const agents = useAgentNames();
  const target = targetName(row, { names, agents });
  const { changes, unchanged, rest } = changesIn(row.metadata);
  return (
    <dialog ref={element} className={`${drawerClass} ${css.drawer}`} aria-labelledby="row-title">
      <header className={css.drawerHead}>
        <h2 id="row-title">{printable(row.action)}</h2>
        <Outcome row={row} />
        <span className="grow" />
        <CopyButton text={JSON.stringify(row, null, 2)} name="Copy the entry as JSON" />
        <Button variant="icon" icon="x" aria-label="Close" title="Close (Esc)" onClick={onClose} />
      </header>
      <dl className={`${panel.kv} ${css.facts}`}>
        <Fact name="Time">
          <RowTime at={row.occurred_at} isExact /> {zone}
        </Fact>
        <Fact name="User">
          {actorText(row, { me, names })} {userId === null ? null : <Id text={userId} name="Copy the user id" />}
          {userId === null ? (
            <span className="t3">(the server, an agent, a request without sign-in, or a deleted account)</span>
          ) : null}
        </Fact>
        {"project_slug" in row ? (
          <Fact name="Project">
            <RowProject row={row} />
          </Fact>
        ) : null}
        <Fact name="Target">
          {targetHref === null ? (
            printable(row.target_type)
          ) : (
            <AppLink href={targetHref}>{printable(row.target_type)}</AppLink>
          )}{" "}
          {target} {row.target_id === null ? null : <Id text={row.target_id} name="Copy the target id" />}
        </Fact>
        <Fact name="Result">{printable(row.result)}</Fact>
        <Fact name="IP address">
          <Address row={row} />
        </Fact>
        {"user_agent" in row ? (
          <Fact name="User agent">
            {row.user_agent === null ? <span className="t3">none</span> : printable(row.user_agent)}
          </Fact>
        ) : null}
        {"event_id" in row && row.event_id !== null ? (
          <Fact name="Event">{<Id text={row.event_id} name="Copy the event id" />}</Fact>
        ) : null}
        <Fact name="Entry">
          <Id text={row.id} name="Copy the entry id" />
        </Fact>
      </dl>
      <p className={css.drawerActs}>
        <Button onClick={() => onOnly({ action: row.action })} icon="funnel">
          Only this action
        </Button>
        {hasUserFilter && userId !== null ? (
          <Button onClick={() => onOnly({ user: userId })} icon="funnel">
            Only this user
          </Button>
        ) : null}
      </p>
      <div className={`${panel.stack} ${css.details}`}>
        {changes.length > 0 ? <Changes changes={changes} unchanged={unchanged} /> : null}
        {Object.keys(rest).length > 0 ? (
          <JsonPanel key={row.id} title="Metadata" parts={[{ label: "metadata", value: rest }]} />
        ) : changes.length === 0 ? (
          <p className="t3">No metadata</p>
        ) : null}
      </div>
    </dialog>
  );
}

/** The page of the target, if it has one that the user may see. */
function useTargetHref(row: Recorded): string | null {
  const { slug: ownSlug } = useParams({ strict: false });
  const slug = "project_slug" in row ? row.project_slug : ownSlug;
  const role = roleIn(useMe(), slug ?? "");
  if (slug == null || row.target_id === null || (role !== "operator" && role !== "admin")) return null;
  return row.target_type === "bulk_retry_request" ? paths.bulkRetry(slug, row.target_id) : null;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Id({ text, name }: { text: string; name: string }) {
  return (
    <span className={css.id}>
      <span className="mono">{printable(text)}</span>
      <CopyButton text={text} name={name} />
    </span>
  );
}

function Changes({ changes, unchanged }: { changes: readonly Change[]; unchanged: number }) {
  return (
    <PanelFrame title="Changes" note={unchanged > 0 ? `${count(unchanged)} unchanged` : ""}>
      <DataTable
        label="Changes"
        className={css.changes}
        rows={changes}
        rowKey={({ name }) => name}
        columns={[
          { header: "Name", isRowHeader: true, cellClass: "mono", cell: ({ name }) => printable(name) },
          {
            header: "Before",
            cellClass: "mono",
            cell: (change) => <del>{"before" in change ? valueText(change.before) : null}</del>,
          },
          {
            header: "After",
            cellClass: "mono",
            cell: (change) => <ins>{"after" in change ? valueText(change.after) : null}</ins>,
          },
        ]}
      />
    </PanelFrame>
  );
}

const valueText = (value: unknown): string => printable(typeof value === "string" ? value : JSON.stringify(value));

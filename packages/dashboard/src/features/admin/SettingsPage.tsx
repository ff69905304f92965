import type { InstanceSettings, SettingRow } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, printable } from "../../ui/time/format.ts";
import { readAs } from "../sessions/index.ts";
import { AdminFrame } from "./AdminFrame.tsx";
import css from "./admin.module.css";
import { isGiven } from "./diagnostics.ts";
import { settingsQuery } from "./queries.ts";
import { UrlText } from "./UrlText.tsx";

export const loader: PageLoader = () =>
  readAs(
    (me) => me.is_admin,
    () => readAhead(settingsQuery),
  );

export function SettingsPage() {
  return <AdminFrame title="Settings">{() => <Settings />}</AdminFrame>;
}

function Settings() {
  return (
    <QueryBoundary name="Settings" read={useQuery(settingsQuery)}>
      {(read) => <SettingList {...read} />}
    </QueryBoundary>
  );
}

const shares = [
  { value: "all", label: "All", title: "All settings" },
  { value: "given", label: "Configured", title: "Settings from a file or the environment" },
] as const;
type Share = (typeof shares)[number]["value"];

function SettingList({ settings, svc_home: home }: InstanceSettings) {
  const [filter, setFilter] = useListFilter();
  const [share, setShare] = useState<Share>("all");
  const rows = settings.filter(
    (row) =>
      (share === "all" || isGiven(row)) &&
      matchesWords(filter, [row.name, row.source, row.description, row.is_secret ? "secret" : row.value]),
  );
  return (
    <>
      <div className={css.tools}>
        <FilterBox label="Filter settings" value={filter} onChange={setFilter} />
        <Segments legend="Which settings" value={share} options={shares} onChange={setShare} />
        <span className="t3">
          {rows.length === settings.length
            ? count(settings.length)
            : `${count(rows.length)} of ${count(settings.length)}`}{" "}
          settings, read at start-up. Home: <code>{printable(home)}</code>
        </span>
      </div>
      {rows.length === 0 ? (
        <Empty
          title="No setting matches"
          chips={
            <Button
              onClick={() => {
                setFilter("");
                setShare("all");
              }}
            >
              Clear filter
            </Button>
          }
        >
          <p>
            No {share === "all" ? "" : "configured "}setting has all of these words in its name, value, source or
            description.
          </p>
        </Empty>
      ) : (
        <WindowTable
          label="Settings"
          size="wide"
          className={css.settings}
          rows={rows}
          rowKey={({ name }) => name}
          rowPx={57}
          columns={[
            {
              header: "Name",
              isRowHeader: true,
              cellClass: panel.two,
              cell: (row) => (
                <>
                  <code>{row.name}</code>
                  <small>{printable(row.description)}</small>
                  <small className="sm">
                    <Source row={row} />
                  </small>
                </>
              ),
            },
            { header: "Value", cell: (row) => <Value row={row} /> },
            { header: "Source", className: "lg", cellClass: "t2", cell: (row) => <Source row={row} /> },
          ]}
        />
      )}
    </>
  );
}

function Source({ row }: { row: SettingRow }) {
  return isGiven(row) ? <b className="t1">{printable(row.source)}</b> : <span className="t3">{row.source}</span>;
}

/** What the service returns in place of a secret that is set. */
const mask = "***";

function Value({ row }: { row: SettingRow }) {
  if (row.is_secret) {
    return (
      <span className={css.secret} title="Secrets are not shown">
        <Icon name="lock" />
        {row.value === mask ? "secret" : "secret, not set"}
      </span>
    );
  }
  if (row.value === "") return <span className="t3">not set</span>;
  return <UrlText text={row.value} name={row.name} />;
}

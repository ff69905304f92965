import type { Project } from "@svc/client";
import { lazy, type ReactNode, Suspense } from "react";
import { useDroppedParams } from "../../address/page-search.ts";
import { paths } from "../../address/paths.ts";
import { type RefusedRange, useRefusedRange } from "../../address/time-range.ts";
import { useMe } from "../../features/sessions/index.ts";
import { lastContactAt } from "../../live/connection.ts";
import { useConnection } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { NoteLine } from "../../ui/panels/Lines.tsx";
import { age, printable } from "../../ui/time/format.ts";
import { useShellParts } from "../shell-parts.ts";
import { EnrollmentNotice } from "./EnrollmentNotice.tsx";
import { useNearEnd } from "./use-near-end.ts";

const SessionNotice = lazy(() => import("./SessionNotice.tsx").then((part) => ({ default: part.SessionNotice })));

/** One notice at a time, by priority: session about to end, offline, stale data, second factor to set up, archived project, ignored search parameters, a feature's notice. */
export function Banner(props: { slug?: string; project?: Project | undefined }) {
  const line = useLine(props);
  return line === null ? null : (
    <section aria-label="Notice">
      <Suspense fallback={null}>{line}</Suspense>
    </section>
  );
}

function useLine({ slug, project }: { slug?: string; project?: Project | undefined }): ReactNode {
  const { mode, now, facts } = useConnection();
  const { useNotice } = useShellParts();
  const notice = useNotice(slug);
  const refused = useRefusedRange();
  const dropped = useDroppedParams();
  const sessionEnds = useNearEnd();
  const me = useMe();
  const contactAt = lastContactAt(facts);
  const old = contactAt === null ? null : <>Showing data from {age(now - contactAt)} ago.</>;
  if (sessionEnds !== null) return <SessionNotice end={sessionEnds} />;
  if (mode === "offline") {
    return (
      <NoteLine glyph="failure" aside={old}>
        Can't reach the server. Reconnecting automatically.
      </NoteLine>
    );
  }
  if (mode === "stale") {
    return (
      <NoteLine glyph="unknown" aside={old}>
        No updates for longer than expected. The data may be out of date.
      </NoteLine>
    );
  }
  if (me.mfa_enrollment_required) return <EnrollmentNotice deadline={me.mfa_enrollment_deadline ?? null} />;
  if (slug !== undefined && project && !project.is_active) {
    return (
      <NoteLine glyph="revoked" action={<AppLink href={paths.general(slug)}>Open settings</AppLink>}>
        This project is archived: it is read-only and its agents can't connect. An admin can restore it.
      </NoteLine>
    );
  }
  if (refused !== null || dropped.length > 0) return ignoredParamsLine(refused, dropped);
  return notice;
}

const namedParams = 8;
const longestName = 40;

function ignoredParamsLine(refused: RefusedRange | null, dropped: readonly string[]): ReactNode {
  const bounds: readonly string[] = refused?.bounds ?? [];
  const what = bounds.map((bound) => (bound === "since" ? "start" : "end")).join(" and ");
  const others = dropped.filter((name) => !bounds.includes(name));
  const names = others.slice(0, namedParams).map((name) => printable(name.slice(0, longestName)));
  return (
    <NoteLine>
      {refused === null ? null : `Invalid ${what} of the time range in the URL. Showing ${refused.label}. `}
      {names.length === 0
        ? null
        : `Ignored unknown or invalid URL parameters: ${names.join(", ")}${others.length > namedParams ? " and more" : ""}.`}
    </NoteLine>
  );
}

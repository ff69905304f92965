import { plural, type Task } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../../address/paths.ts";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../../ui/buttons/CopyButton.tsx";
import { Segments } from "../../../../ui/buttons/Segments.tsx";
import panel from "../../../../ui/panels/panel.module.css";
import { count, printable, printableLines } from "../../../../ui/time/format.ts";
import { taskTotalQuery } from "../../../task-data/index.ts";
import {
  type Frame,
  foldFrames,
  librariesOf,
  readFailure,
  readTrace,
  splitException,
  splitType,
  type TraceSection,
} from "../family/trace.ts";
import css from "./failure.module.css";
import { sameFailureQuery } from "./search-terms.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The exception, then the traceback with own frames open and library frames collapsed. */
export function FailurePanel({ slug, task }: { slug: string; task: Task }) {
  const { type, message } = readFailure(task);
  return (
    <section className={panel.panel} id="failure" aria-labelledby="h-failure">
      <header className={css.head}>
        <h2 id="h-failure">
          <span className="vh">Failure: </span>
          <span className={css.exc}>
            {type === null ? printable(firstLine(message)) || "Failed" : <TypeName type={type} />}
          </span>
        </h2>
        {task.fingerprint ? (
          <>
            <AppLink href={paths.issue(slug, task.fingerprint)} title="Frequency and affected queues and workers">
              View issue
            </AppLink>
            <SameFingerprint slug={slug} fingerprint={task.fingerprint} />
          </>
        ) : (
          <SimilarFailures slug={slug} task={task} />
        )}
      </header>
      {message && (type !== null || message !== firstLine(message)) ? (
        <p className={`${css.msg} mono`}>{printableLines(message)}</p>
      ) : null}
      {task.traceback ? (
        <Trace text={task.traceback} />
      ) : (
        <p className={panel.foot}>The engine reported no traceback.</p>
      )}
    </section>
  );
}

/** Link to the tasks with the same failure, counted once when shown. */
function SameFingerprint({ slug, fingerprint }: { slug: string; fingerprint: string }) {
  const q = `fingerprint:${fingerprint}`;
  const [since] = useState(() => new Date(Math.floor(Date.now() / minuteMs) * minuteMs - dayMs).toISOString());
  const { data: total } = useQuery(taskTotalQuery(slug, { q, since }));
  return (
    <AppLink
      className="nowrap"
      href={paths.tasks(slug, { q, since: "-24h" })}
      title={`Tasks that failed with fingerprint ${fingerprint}`}
    >
      Same fingerprint{total == null ? "" : `: ${count(total)}`} in 24 h
    </AppLink>
  );
}

/** Link to failures with the same message, for a task without a fingerprint: a retried task that has not failed finally. */
function SimilarFailures({ slug, task }: { slug: string; task: Task }) {
  const query = sameFailureQuery(task);
  if (query === null) return null;
  return (
    <AppLink className="nowrap" href={paths.tasks(slug, { state: "failure", q: query })} title={printable(query)}>
      Similar failures
    </AppLink>
  );
}

function TypeName({ type }: { type: string }) {
  const { module, name } = splitType(type);
  return (
    <>
      {module ? <span className={css.module}>{printable(module)}</span> : null}
      {printable(name)}
    </>
  );
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

type Order = "inner" | "printed";

export function Trace({ text, name = "Traceback" }: { text: string; name?: string }) {
  const [order, setOrder] = useState<Order>("inner");
  const [isWrapped, setWrapped] = useState(false);
  const sections = readTrace(text);
  const frames = sections.flatMap((section) => section.frames);
  const own = frames.filter((frame) => !frame.isLibrary).length;

  return (
    <>
      <div className={css.bar}>
        {sections.length > 0 ? (
          <Segments<Order>
            legend={`Order of frames, ${name}`}
            value={order}
            options={[
              { value: "inner", label: "Innermost first" },
              { value: "printed", label: "As printed" },
            ]}
            onChange={setOrder}
          />
        ) : null}
        <span className="grow t3">
          {sections.length > 0 ? (
            <span className="lg">{`${plural(own, "own frame")}, ${frames.length - own} collapsed`}</span>
          ) : null}
        </span>
        <Button
          variant="icon"
          icon="wrap"
          aria-pressed={isWrapped}
          aria-label="Wrap long lines"
          title="Wrap long lines"
          onClick={() => setWrapped(!isWrapped)}
        />
        <CopyButton text={text} name={`Copy ${name.toLowerCase()}`} />
      </div>
      <div
        className={isWrapped ? `${css.trace} ${css.wrapped}` : css.trace}
        tabIndex={0}
        role="region"
        aria-label={name}
      >
        {order === "printed" || sections.length === 0 ? (
          <pre className={css.raw}>{printableLines(text)}</pre>
        ) : (
          sections.map((section, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sections have no other identity
            <Section key={at} section={section} isCause={at > 0} />
          ))
        )}
      </div>
    </>
  );
}

function Section({ section, isCause }: { section: TraceSection; isCause: boolean }) {
  return (
    <>
      {isCause ? (
        <p className={css.cause}>
          {section.link === "context" ? "While handling " : "Caused by "}
          <Cause error={section.error} />
        </p>
      ) : null}
      {foldFrames(section.frames).map((group, at) =>
        group.kind === "own" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames repeat in a recursion
          <OwnFrame key={at} frame={group.frame} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity
          <details key={at} className={`${css.frame} ${css.lib}`}>
            <summary>
              {plural(group.frames.length, "library frame")}{" "}
              <span className="t3">{printable(librariesOf(group.frames))}</span>
            </summary>
            {group.frames.map((frame, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames repeat in a recursion
              <OwnFrame key={index} frame={frame} />
            ))}
          </details>
        ),
      )}
    </>
  );
}

function Cause({ error }: { error: string | null }) {
  if (error === null) return <b>an unnamed error</b>;
  const { type, message } = splitException(error.split("\n", 1)[0] ?? "");
  return (
    <>
      <b>{printable(type ?? message)}</b>
      {type === null || message === "" ? "" : `: ${printable(message)}`}
    </>
  );
}

function OwnFrame({ frame }: { frame: Frame }) {
  const place = (
    <>
      <span className="mono">
        <b>{printable(frame.file)}</b>
        {frame.line === null ? "" : `:${frame.line}`}
      </span>
      {frame.fn ? (
        <>
          <span className="t2">in</span> <span className="mono">{printable(frame.fn)}</span>
        </>
      ) : null}
    </>
  );
  if (frame.source === null) return <div className={css.plain}>{place}</div>;
  return (
    <details className={css.frame} open>
      <summary>{place}</summary>
      <code className={css.src}>
        <span className={css.ln}>
          <i>{frame.line}</i>
          {printable(frame.source)}
        </span>
      </code>
    </details>
  );
}

import { ApiProblem } from "@svc/client";
import { Button } from "../buttons/Button.tsx";
import { CopyButton } from "../buttons/CopyButton.tsx";
import { RetryButton } from "../buttons/RetryButton.tsx";
import { Glyph } from "../Icon.tsx";
import css from "./feedback.module.css";

/** Placeholder rows in the content's height during the first load. Invisible for the first 150 ms. */
export function Skeleton({ rows = 8, label }: { rows?: number | undefined; label: string }) {
  return (
    <div role="status" aria-label={label}>
      <div className={css.skeleton} aria-hidden="true">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other identity
          <i key={row} />
        ))}
      </div>
    </div>
  );
}

/** The placeholder of a whole page, with a heading. */
export function PageSkeleton() {
  return (
    <>
      <h1 className="vh">Loading the page</h1>
      <Skeleton label="Loading the page" />
    </>
  );
}

/** Whether a file of the dashboard couldn't be loaded. Browsers have different messages for it. */
export function isMissingPart(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /dynamically imported module|importing a module script|module script failed/i.test(error.message)
  );
}

/** What happened and what to do, for users who don't know the API. */
export function causeOf(error: unknown): string {
  if (isMissingPart(error)) {
    return "Couldn't load this part. If a newer version was installed, reload the page.";
  }
  if (!(error instanceof ApiProblem)) return "This part failed. The rest of the page still works.";
  switch (error.code) {
    case "unreachable":
      return "Can't reach the server. It may be restarting.";
    case "forbidden":
      return "Your role doesn't allow this.";
    case "not_found":
      return "Not found. It may have been deleted, or you may not have access.";
    case "unauthenticated":
      return "Your session has ended. Sign in again.";
    case "step_up_required":
    case "mfa_reverify_required":
      return "You didn't confirm that it's you.";
    case "mfa_enrollment_required":
      return "Set up a second factor first.";
    case "rate_limited":
      return "Too many requests. Wait a moment.";
    case "unready":
      if (error.details.reason === "passwords_full") return "Too many sign-ins. Try again shortly.";
      return "The server isn't ready. Try again shortly.";
    default:
      // The server's messages are clauses.
      return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}${/[.!?]$/.test(error.message) ? "" : "."}`;
  }
}

export interface ErrorPanelProps {
  title: string;
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** An error with details and a retry button. `isPart`: inside a panel's frame. */
export function ErrorPanel({
  title,
  error,
  onRetry,
  isPart = false,
}: ErrorPanelProps & { isPart?: boolean | undefined }) {
  const Heading = isPart ? "h3" : "h2";
  const problem = error instanceof ApiProblem ? error : null;
  const details = JSON.stringify(
    problem
      ? {
          code: problem.code,
          status: problem.status,
          message: problem.message,
          request_id: problem.requestId,
          details: problem.details,
        }
      : { message: String(error) },
    null,
    2,
  );
  return (
    <section className={isPart ? `${css.failed} ${css.part}` : css.failed} role="alert">
      <Heading>
        <Glyph name="failure" />
        {title}
      </Heading>
      <p>{causeOf(error)}</p>
      {problem ? (
        <dl>
          <div>
            <dt>Code</dt>
            <dd className="mono">{problem.code}</dd>
          </div>
          {problem.requestId ? (
            <div>
              <dt>Request</dt>
              <dd className="mono">{problem.requestId}</dd>
            </div>
          ) : null}
        </dl>
      ) : null}
      <div className={css.acts}>
        {isMissingPart(error) ? (
          <Button onClick={() => location.reload()} icon="retry">
            Reload the page
          </Button>
        ) : null}
        {onRetry ? <RetryButton error={error} onRetry={onRetry} /> : null}
        <CopyButton text={details} label="Copy details" />
      </div>
    </section>
  );
}

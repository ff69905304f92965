import { ApiProblem } from "@svc/client";
import { Button } from "../buttons/Button.tsx";
import { CopyButton } from "../buttons/CopyButton.tsx";
import { RetryButton } from "../buttons/RetryButton.tsx";
import { Glyph } from "../Icon.tsx";
import css from "./feedback.module.css";

/** Rows of the real height while the first answer is on its way; invisible for the first 150 ms. */
export function Bones({ rows = 8, label }: { rows?: number | undefined; label: string }) {
  return (
    <div role="status" aria-label={label}>
      <div className={css.bones} aria-hidden="true">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other identity
          <i key={row} />
        ))}
      </div>
    </div>
  );
}

/** A whole page that is on its way; it has a heading as every page has. */
export function PageBones() {
  return (
    <>
      <h1 className="vh">Loading the page</h1>
      <Bones label="Loading the page" />
    </>
  );
}

/** Whether a file of the dashboard itself could not be loaded; each browser has words of its own for it. */
export function isMissingPart(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /dynamically imported module|importing a module script|module script failed/i.test(error.message)
  );
}

/** What happened, what it means, what to do: in words a person without the API's documents can use. */
export function causeOf(error: unknown): string {
  if (isMissingPart(error)) {
    return "This part of the dashboard could not be loaded. The server may be away; or a newer version was installed, and then reloading the page helps.";
  }
  if (!(error instanceof ApiProblem)) return "This part of the page broke. The rest keeps working.";
  switch (error.code) {
    case "unreachable":
      return "The server did not answer. It may be restarting, or the network between you and it is down.";
    case "forbidden":
      return "Your role does not allow this.";
    case "not_found":
      return "It is not here: never was, was deleted, or is outside your projects.";
    case "unauthenticated":
      return "Your session has ended. Sign in again to go on.";
    case "step_up_required":
    case "mfa_reverify_required":
      return "You didn't confirm that it's you.";
    case "mfa_enrollment_required":
      return "This server asks for a second factor. Set one up first.";
    case "rate_limited":
      return "Too many requests. The server asks to wait before the next one.";
    case "unready":
      if (error.details.reason === "passwords_full")
        return "Too many passwords wait to be checked. Try again in a moment.";
      return "The server is up, but its database is not. It will answer once that is back.";
    default:
      return error.message;
  }
}

export interface FailedProps {
  title: string;
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** The error panel: the shell and everything else on the page stay usable beside it. `isPart`: inside a panel's own frame. */
export function Failed({ title, error, onRetry, isPart = false }: FailedProps & { isPart?: boolean | undefined }) {
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

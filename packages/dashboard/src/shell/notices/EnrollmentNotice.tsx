import { useLocation } from "@tanstack/react-router";
import { paths } from "../../address/paths.ts";
import { serverTimeAt } from "../../live/server-clock.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { NoteLine } from "../../ui/panels/Lines.tsx";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { useNowEvery } from "../../ui/time/ticker.ts";
import { timeLeft } from "./enrollment-left.ts";

/** Shows the deadline for setting up a second factor. */
export function EnrollmentNotice({ deadline }: { deadline: string | null }) {
  const href = useLocation({ select: (location) => location.href });
  const now = serverTimeAt(useNowEvery(60_000));
  const aside = deadline === null ? undefined : <b className="num">{timeLeft(Date.parse(deadline) - now)}</b>;
  return (
    <NoteLine glyph="timeout" aside={aside} action={<AppLink href={paths.enroll({ next: href })}>Set up</AppLink>}>
      {deadline === null ? (
        "This server requires a second factor."
      ) : (
        <>
          This server requires a second factor from <Stamp at={deadline} to="minute" />.
        </>
      )}
    </NoteLine>
  );
}

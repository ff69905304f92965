import { useLocation } from "@tanstack/react-router";
import { paths } from "../../address/paths.ts";
import { serverTimeAt } from "../../live/server-clock.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { NoteLine } from "../../ui/panels/Lines.tsx";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { useNowEvery } from "../../ui/time/ticker.ts";
import { timeLeft } from "./enrollment-left.ts";

/** Says until when a second factor has to be set up. */
export function EnrollmentNotice({ deadline }: { deadline: string | null }) {
  const href = useLocation({ select: (location) => location.href });
  const now = serverTimeAt(useNowEvery(60_000));
  const aside = deadline === null ? undefined : <b className="num">{timeLeft(Date.parse(deadline) - now)}</b>;
  return (
    <NoteLine glyph="timeout" aside={aside} action={<AppLink href={paths.enroll({ next: href })}>Set it up</AppLink>}>
      {deadline === null ? (
        "This server asks for a second factor beside your password."
      ) : (
        <>
          This server asks for a second factor beside your password from <Stamp at={deadline} to="minute" /> on.
        </>
      )}
    </NoteLine>
  );
}

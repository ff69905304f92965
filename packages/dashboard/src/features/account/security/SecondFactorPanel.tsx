import { type MfaStatus, plural } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { Button, ButtonLink } from "../../../ui/buttons/Button.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { Panel, type PanelRead } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import css from "../account.module.css";
import { DisableFactorDialog } from "./DisableFactorDialog.tsx";
import { NewCodesDialog } from "./NewCodesDialog.tsx";

/** At or below this number of remaining codes, a warning is shown. */
const fewCodes = 3;

export function SecondFactorPanel({ read }: { read: PanelRead<MfaStatus> }) {
  const [asking, setAsking] = useState<"codes" | "disable" | null>(null);
  const setUp = paths.enroll({ next: paths.security() });
  return (
    <>
      <Panel title="Second factor" read={read} rows={3}>
        {(status) =>
          status.enrolled ? (
            <div className={css.text}>
              <p className={css.done}>
                <Glyph name="success" />
                <span>
                  Authenticator app set up on <Stamp at={status.enrolled_at} to="day" />.
                </span>
              </p>
              <p className={status.remaining_recovery_codes <= fewCodes ? panel.wrong : "t2"}>
                {status.remaining_recovery_codes <= fewCodes ? <Glyph name="failure" /> : null}
                <span>{codesLeft(status.remaining_recovery_codes)}</span>
              </p>
              <div className={css.acts}>
                <Button onClick={() => setAsking("codes")}>Create recovery codes</Button>
                <ButtonLink href={setUp}>Replace app</ButtonLink>
                <Button onClick={() => setAsking("disable")}>Disable second factor</Button>
              </div>
            </div>
          ) : (
            <div className={css.text}>
              <p>
                Anyone with your password can sign in. With an authenticator app, signing in also needs a code from your
                phone.
              </p>
              {status.enrollment_required ? (
                <p className={panel.wrong}>
                  <Glyph name="failure" />
                  <span>
                    This server requires a second factor
                    {status.enrollment_deadline ? (
                      <>
                        {" "}
                        from <Stamp at={status.enrollment_deadline} to="minute" />
                      </>
                    ) : null}
                    .
                  </span>
                </p>
              ) : null}
              <div className={css.acts}>
                <ButtonLink variant="main" href={setUp}>
                  Set up an app
                </ButtonLink>
              </div>
            </div>
          )
        }
      </Panel>
      {asking === "codes" ? <NewCodesDialog onClose={() => setAsking(null)} /> : null}
      {asking === "disable" ? <DisableFactorDialog onClose={() => setAsking(null)} /> : null}
    </>
  );
}

const codesLeft = (left: number): string =>
  left === 0 ? "No recovery codes left." : `${plural(left, "recovery code")} left.`;

import { CatchBoundary, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { type Verification, verification } from "../api/second-factor-gate.ts";

/** Every page, and over it the question for a code or the password while a call waits for it. */
export function Root() {
  const asked = useSyncExternalStore(verification.subscribe, verification.get);
  return (
    <>
      <Outlet />
      {asked === null ? null : <Asking asked={asked} />}
    </>
  );
}

const load = () => import("../features/mfa/VerifyDialog.tsx").then(({ VerifyDialog }) => ({ default: VerifyDialog }));
let Dialog = lazy(load);

/** The dialog is not loaded before somebody needs it. When it cannot be, the calls stay refused, and the next one asks for it again. */
function Asking({ asked }: { asked: Verification }) {
  return (
    <CatchBoundary
      getResetKey={() => ""}
      onCatch={() => {
        Dialog = lazy(load);
        asked.settle(false);
      }}
      errorComponent={() => null}
    >
      <Suspense>
        <Dialog asked={asked} />
      </Suspense>
    </CatchBoundary>
  );
}

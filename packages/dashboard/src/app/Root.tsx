import { CatchBoundary, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { type Verification, verification } from "../api/second-factor-gate.ts";

/** Every page, with the verification dialog on top while a request waits for it. */
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

/** Loaded on first use. If loading fails, the requests stay refused, and the next one tries to load it again. */
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

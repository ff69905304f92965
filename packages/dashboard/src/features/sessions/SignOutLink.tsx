import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { queryClient } from "../../api/query-client.ts";
import controls from "../../ui/controls.module.css";
import { causeOf } from "../../ui/panels/Feedback.tsx";

interface SignOutLinkProps {
  /** Where the next sign-in leads. */
  next?: string;
  className?: string | undefined;
  children?: ReactNode;
}

/** Ends a session on a page without the shell. */
export function SignOutLink({ next, className, children = "Sign out" }: SignOutLinkProps) {
  const router = useRouter();
  const signOut = useMutation({
    mutationFn: () => api.logout(),
    onSuccess: () => {
      queryClient.clear();
      router.history.push(paths.login(next));
    },
  });
  return (
    <>
      <button
        type="button"
        className={className ?? controls.lnk}
        aria-disabled={signOut.isPending}
        onClick={() => {
          if (!signOut.isPending) signOut.mutate();
        }}
      >
        {children}
      </button>
      {signOut.isError ? <span role="alert">Still signed in. {causeOf(signOut.error)}</span> : null}
    </>
  );
}

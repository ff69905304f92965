import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { queryClient } from "../../api/query-client.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";

interface SignOutLinkProps {
  /** The page to open after the next sign-in. */
  next?: string;
  variant?: "link" | "main";
  className?: string | undefined;
  children?: ReactNode;
}

/** Signs out on a page without the shell. */
export function SignOutLink({ next, variant = "link", className, children = "Sign out" }: SignOutLinkProps) {
  const go = useGo();
  const signOut = useMutation({
    mutationFn: () => api.logout(),
    onSuccess: () => {
      queryClient.clear();
      go(paths.login({ next }));
    },
  });
  return (
    <>
      <Button variant={variant} className={className} isPending={signOut.isPending} onClick={() => signOut.mutate()}>
        {children}
      </Button>
      {signOut.isError ? <span role="alert">Couldn't sign out. {causeOf(signOut.error)}</span> : null}
    </>
  );
}

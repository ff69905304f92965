export { EntryFrame, EntryNote, entryAside, entryForm, entryKeep, entrySubmit } from "./EntryFrame.tsx";
export { LoginPage } from "./LoginPage.tsx";
export {
  isEnrollmentOverdue,
  mayAudit,
  maybeSignedIn,
  mayOperate,
  meQuery,
  readAs,
  roleIn,
  useIsProjectAdmin,
  useMayAudit,
  useMe,
} from "./queries.ts";
export { SignOutLink } from "./SignOutLink.tsx";

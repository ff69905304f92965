import type { SharedPage, Tabs } from "../follow-activity.ts";

type Message = { kind: "page"; shared: SharedPage } | { kind: "left" };

/**
 * The tabs of this browser that follow the same activity. The holder of a lock is the leader: a tab takes it when visible and releases it
 * once hidden if another is visible. Web Locks exist only in secure contexts; elsewhere every tab leads.
 */
export function browserTabs(name: string): Tabs {
  const channel = new BroadcastChannel(name);
  const locks: LockManager | undefined = navigator.locks;
  let onLeader: (isLeader: boolean) => void = () => {};
  let isLeader = false;
  let hasLeft = false;
  let release = () => {};
  let waiting = new AbortController();

  function requestLock(steals: boolean): void {
    if (hasLeft) return;
    if (locks === undefined) {
      setLeader(true);
      return;
    }
    waiting.abort();
    const own = new AbortController();
    waiting = own;
    const held = () =>
      new Promise<void>((resolve) => {
        if (hasLeft) return resolve();
        release = resolve;
        setLeader(true);
      });
    // The Web Locks API does not allow a signal together with `steal`.
    locks.request(name, steals ? { steal: true } : { signal: own.signal }, held).catch(() => {
      // Aborted by a newer request of this tab, or stolen by a tab that became visible.
      if (hasLeft || waiting !== own) return;
      setLeader(false);
      requestLock(false);
    });
  }

  function setLeader(leads: boolean): void {
    if (isLeader === leads || hasLeft) return;
    isLeader = leads;
    onLeader(leads);
  }

  const visibilityChanged = () => {
    if (!document.hidden) {
      if (!isLeader) requestLock(true);
    } else if (isLeader && locks !== undefined) {
      setLeader(false);
      release();
      requestLock(false);
      channel.postMessage({ kind: "left" } satisfies Message);
    }
  };

  return {
    join(whenLeader, onShared) {
      onLeader = whenLeader;
      channel.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.kind === "page") onShared(data.shared);
        else if (!document.hidden && !isLeader) requestLock(true);
      };
      document.addEventListener("visibilitychange", visibilityChanged);
      requestLock(!document.hidden);
    },
    share: (shared) => channel.postMessage({ kind: "page", shared } satisfies Message),
    leave() {
      hasLeft = true;
      document.removeEventListener("visibilitychange", visibilityChanged);
      waiting.abort();
      release();
      channel.close();
    },
  };
}

import type { Tabs, ToldPage } from "../follow-activity.ts";

type Message = { kind: "told"; told: ToldPage } | { kind: "left" };

/**
 * The tabs of this browser that follow the same thing. The lock says whose turn it is: a tab takes it when it is looked at, and gives it
 * away when it is hidden and another is looked at. Browsers have locks on https and on this machine only; elsewhere each tab reads.
 */
export function browserTabs(name: string): Tabs {
  const channel = new BroadcastChannel(name);
  const locks: LockManager | undefined = navigator.locks;
  let onTurn: (isMine: boolean) => void = () => {};
  let isMine = false;
  let hasLeft = false;
  let giveUp = () => {};
  let waiting = new AbortController();

  function ask(steals: boolean): void {
    if (hasLeft) return;
    if (locks === undefined) {
      turn(true);
      return;
    }
    waiting.abort();
    const own = new AbortController();
    waiting = own;
    const held = () =>
      new Promise<void>((resolve) => {
        if (hasLeft) return resolve();
        giveUp = resolve;
        turn(true);
      });
    // What steals must not be called off by a signal, says the standard.
    locks.request(name, steals ? { steal: true } : { signal: own.signal }, held).catch(() => {
      // Called off for another question of this tab's own, or taken away by a tab that was looked at.
      if (hasLeft || waiting !== own) return;
      turn(false);
      ask(false);
    });
  }

  function turn(mine: boolean): void {
    if (isMine === mine || hasLeft) return;
    isMine = mine;
    onTurn(mine);
  }

  const looked = () => {
    if (!document.hidden) {
      if (!isMine) ask(true);
    } else if (isMine && locks !== undefined) {
      turn(false);
      giveUp();
      ask(false);
      channel.postMessage({ kind: "left" } satisfies Message);
    }
  };

  return {
    join(whenTurned, onTold) {
      onTurn = whenTurned;
      channel.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.kind === "told") onTold(data.told);
        else if (!document.hidden && !isMine) ask(true);
      };
      document.addEventListener("visibilitychange", looked);
      ask(!document.hidden);
    },
    tell: (told) => channel.postMessage({ kind: "told", told } satisfies Message),
    leave() {
      hasLeft = true;
      document.removeEventListener("visibilitychange", looked);
      waiting.abort();
      giveUp();
      channel.close();
    },
  };
}

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface FaultyNetworkOptions {
  readonly host?: string;
  readonly port: number;
}

export type FaultyNetwork = Awaited<ReturnType<typeof startFaultyNetwork>>;

type Line = "healthy" | "down" | "blackhole";

/** A TCP proxy in front of one server, with faults that a test can switch on. Faults affect open and new connections. */
export async function startFaultyNetwork(target: FaultyNetworkOptions) {
  const pairs = new Set<Pair>();
  const state: LineState = { line: "healthy", delayMs: 0, waiting: new Set(), passedOn: () => {} };

  const server = createServer({ allowHalfOpen: true }, (inside) => {
    if (state.line === "down") {
      inside.resetAndDestroy();
      return;
    }
    const outside = connect({ host: target.host ?? "127.0.0.1", port: target.port, allowHalfOpen: true });
    const pair: Pair = { inside, outside };
    pairs.add(pair);
    const forget = () => {
      pairs.delete(pair);
      reset(pair);
    };
    for (const socket of [inside, outside]) {
      socket.setNoDelay(true);
      socket.on("error", forget);
    }
    inside.on("close", () => outside.destroyed && forget());
    outside.on("close", () => inside.destroyed && forget());
    relay(inside, outside, state, (chunk) => state.passedOn(chunk));
    relay(outside, inside, state);
    if (state.line === "blackhole") hold(pair);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");

  /** Resets all open connections; new ones are accepted. */
  const cut = () => {
    for (const pair of pairs) reset(pair);
    pairs.clear();
  };
  /** Keeps connections open and loses nothing, but forwards no byte in either direction until `heal`. */
  const blackhole = () => {
    state.line = "blackhole";
    for (const pair of pairs) hold(pair);
  };
  return {
    port: address.port,
    /** Number of open connections through the proxy. */
    openConnections: () => pairs.size,
    cut,
    /** Refuses new connections and resets open ones until `heal`. */
    down() {
      state.line = "down";
      cut();
    },
    blackhole,
    /**
     * Starts a `blackhole` after forwarding the first client chunk that `isLast` accepts, so that its answer is held back. Resolves when it
     * starts.
     */
    blackholeAfter(isLast: (chunk: Buffer) => boolean) {
      const { promise, resolve } = Promise.withResolvers<void>();
      state.passedOn = (chunk) => {
        if (!isLast(chunk)) return;
        state.passedOn = () => {};
        blackhole();
        resolve();
      };
      return promise;
    },
    /** Delays every chunk by this many milliseconds in each direction. */
    delay(delayMs: number) {
      state.delayMs = delayMs;
    },
    /** Ends all faults; held bytes are forwarded immediately, in order. */
    heal() {
      state.line = "healthy";
      state.delayMs = 0;
      for (const deliver of state.waiting) deliver();
      for (const { inside, outside } of pairs) {
        inside.resume();
        outside.resume();
      }
    },
    async close() {
      cut();
      for (const release of state.waiting) release();
      server.close();
      await once(server, "close");
    },
  };
}

interface Pair {
  readonly inside: Socket;
  readonly outside: Socket;
}

interface LineState {
  line: Line;
  delayMs: number;
  /** Functions that each release one delayed chunk. */
  readonly waiting: Set<() => void>;
  /** Called with each client chunk after it was forwarded. */
  passedOn: (chunk: Buffer) => void;
}

/** Chunks keep their order even when the delay changes: each waits for the previous one. */
function relay(from: Socket, to: Socket, state: LineState, passedOn: (chunk: Buffer) => void = () => {}): void {
  let earlier: Promise<void> = Promise.resolve();
  const inOrder = (deliver: () => void) => {
    const due = performance.now() + state.delayMs;
    earlier = earlier.then(async () => {
      if (state.delayMs > 0) await pauseUntil(due, state);
      if (!to.destroyed) deliver();
    });
  };
  from.on("data", (chunk) => {
    inOrder(() => {
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => state.line !== "blackhole" && from.resume());
      }
      passedOn(chunk);
    });
  });
  from.on("end", () => inOrder(() => to.end()));
}

async function pauseUntil(due: number, state: LineState): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, due - performance.now()));
  state.waiting.add(resolve);
  await promise;
  state.waiting.delete(resolve);
  clearTimeout(timer);
}

function hold({ inside, outside }: Pair): void {
  inside.pause();
  outside.pause();
}

function reset({ inside, outside }: Pair): void {
  inside.resetAndDestroy();
  outside.resetAndDestroy();
}

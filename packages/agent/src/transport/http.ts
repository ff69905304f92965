import * as http from "node:http";
import * as https from "node:https";
import type { Clock } from "../runtime/clock.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export type HttpClient = ReturnType<typeof createHttpClient>;

/** 50 command frames of the largest size. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** A client with two kept connections, one for uploads and one for polls, that never keeps the host process alive. */
export function createHttpClient(isSecure: boolean, clock: Clock) {
  const { Agent, request: open } = isSecure ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  return {
    /** The answer of any status; redirects are never followed. Rejects when there is none in time, or a too large one. */
    request: (given: HttpRequest) =>
      new Promise<HttpAnswer>((resolve, reject) => {
        const { method, url, body, signal } = given;
        const headers =
          body === undefined ? given.headers : { ...given.headers, "content-length": Buffer.byteLength(body) };
        const request = open(url, { method, headers, agent, signal });
        const cancel = clock.after(given.timeoutMs, () => {
          request.destroy(new Error(`no answer within ${given.timeoutMs} ms`));
        });
        const fail = (error: Error): void => {
          cancel();
          reject(error);
        };
        request.on("socket", (socket) => socket.unref());
        request.on("error", fail);
        request.on("response", (response) => {
          const parts: Buffer[] = [];
          let sizeBytes = 0;
          response.on("data", (part: Buffer) => {
            parts.push(part);
            sizeBytes += part.length;
            if (sizeBytes > maxAnswerBytes) request.destroy(new Error("the answer is too large"));
          });
          response.on("error", fail);
          response.on("end", () => {
            cancel();
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(parts).toString(),
            });
          });
        });
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

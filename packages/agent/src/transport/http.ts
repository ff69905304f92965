import * as http from "node:http";
import * as https from "node:https";
import type { Clock } from "../runtime/clock.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Timeout of the whole exchange. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export type HttpClient = ReturnType<typeof createHttpClient>;

/** 50 command frames of the maximum size, with room to spare. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** An HTTP client with two keep-alive connections, one for uploads and one for polls. Never keeps the host process alive. */
export function createHttpClient(isSecure: boolean, clock: Clock) {
  const { Agent, request: open } = isSecure ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  return {
    /** Resolves with any status. Never follows redirects. Rejects on a timeout or when the response is too large. */
    request: (given: HttpRequest) =>
      new Promise<HttpAnswer>((resolve, reject) => {
        const { method, url, body, signal } = given;
        const headers =
          body === undefined ? given.headers : { ...given.headers, "content-length": Buffer.byteLength(body) };
        const request = open(url, { method, headers, agent, signal });
        const cancel = clock.after(given.timeoutMs, () => {
          request.destroy(new Error(`no response within ${given.timeoutMs} ms`));
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
            if (sizeBytes > maxAnswerBytes) request.destroy(new Error("the response is too large"));
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

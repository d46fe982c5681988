import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on the loopback that documents are downloaded from. */
export interface DownloadServer {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** What it answers with. */
  answer: RequestListener;
  close(): Promise<void>;
}

/** Serves the same bytes under each path, until told otherwise. */
export async function downloadServer(body: Uint8Array | string): Promise<DownloadServer> {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url ?? '');
    server.answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: DownloadServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked,
    answer: (_, response) => response.end(body),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestPlatform } from '../../tools/test-platform.ts';

/** Lets journeys, which run in other processes, restart the local cloud: any POST does, and is answered when it is up. */
export async function startCloudControl({ restart }: Pick<TestPlatform, 'restart'>) {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    restart().then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

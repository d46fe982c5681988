import { createServer } from 'node:net';

/** A server on this machine that says who has asked it for something. */
export async function aListener() {
  const asked: string[] = [];
  const server = createServer((socket) => {
    const index = asked.push('connected') - 1;
    socket.on('data', (bytes) => {
      asked[index] = bytes.toString('latin1').split('\r\n')[0] ?? '';
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Stops listening. @returns the first line of each request */
    end: async (): Promise<readonly string[]> => {
      server.close();
      return asked;
    },
  };
}

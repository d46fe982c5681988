import { freePort, isFree } from '../local-cloud/free-port.ts';
import { CommandError } from '../terminal/command-error.ts';

/** PORT, or 3000, or the next free one. */
export async function choosePort(): Promise<number> {
  const named = process.env.PORT;
  if (!named) return await freePort(3000);
  const port = Number(named);
  if (await isFree(port)) return port;
  throw new CommandError(
    `Port ${named} (PORT) is in use.`,
    'Stop what listens there, or choose another port: PORT=3100 npm start',
  );
}

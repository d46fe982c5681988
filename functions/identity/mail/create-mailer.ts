import { once } from '../../../shared/primitives/once.ts';
import type { Mailer } from './mailer.ts';

/** Sends mail from an address; `undefined`: there is none. The client is loaded with the first mail. */
export function createMailer(from: string): Mailer | undefined {
  if (from === '') return undefined;
  const load = once(async () => new (await import('./ses-mailer.ts')).SesMailer(from));
  return { send: async (mail) => (await load()).send(mail) };
}

import { CommandError } from '../terminal/command-error.ts';

/** Calls the API with a token that has the permissions of identity. @throws CommandError when it refuses */
export type IdentityCall = <T>(method: string, path: string, body?: object) => Promise<T>;

/** The status that a call has failed with. */
export class RefusedCall extends CommandError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(
      message,
      'Read the log above ("npm run logs" shows it again); after the correction start again.',
    );
    this.status = status;
  }
}

export const identityCall =
  (baseUrl: string, token: string): IdentityCall =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
    throw new RefusedCall(
      answer.status,
      `The demo directory or its logins could not be prepared: ${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`,
    );
  };

import type { HttpClientError } from '../../../shared/http-client/http-client-error.ts';

/** One thing that was tried of a configuration. */
export interface Check {
  readonly name: string;
  readonly status: 'PASS' | 'FAIL' | 'SKIP';
  readonly latencyMs: number;
  readonly message: string;
}

/** What a call goes through before there is an answer. */
export const CONNECTION_STEPS = ['url', 'dns', 'connect', 'tls'] as const;

const STEP_OF: Partial<Record<HttpClientError['code'], (typeof CONNECTION_STEPS)[number]>> = {
  INVALID_URL: 'url',
  TARGET_REFUSED: 'url',
  NAME_NOT_FOUND: 'dns',
  CONNECTION_FAILED: 'connect',
  TIMEOUT: 'connect',
  TLS_FAILED: 'tls',
};

/** The step at which a call has failed; `undefined`: there was an answer. */
export const connectionStepOf = ({ code }: HttpClientError) => STEP_OF[code];

export const skipped = (name: string, message = 'Not tried.'): Check => ({
  ...{ name, status: 'SKIP', latencyMs: 0, message },
});

/** Checks in their order: what comes before the failed one is right, what comes after it was not tried. */
export function checksUpTo<S extends string>(
  steps: readonly S[],
  failed: S | undefined,
  { latencyMs, message }: Pick<Check, 'latencyMs' | 'message'>,
): Check[] {
  const at = failed === undefined ? steps.length : steps.indexOf(failed);
  return steps.map((name, index) => {
    if (index < at) return { name, status: 'PASS', latencyMs: 0, message: 'In order.' };
    return index > at ? skipped(name) : { name, status: 'FAIL', latencyMs, message };
  });
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';

export const DEFINITIONS = '/api/v1/entity-definitions';
export const unique = (name: string): string => `${name}-${randomUUID().slice(0, 8)}`;

export const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Họ tên', maxLength: 200 },
    email: { type: 'string', format: 'email', 'x-unique': true },
    status: { type: 'string', enum: ['open', 'closed'] },
    amount: { type: 'number' },
    notes: { type: 'string', format: 'textarea' },
  },
};

/** The API as an administrator calls it. */
export let api: ApiClient;

beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'mai', roles: ['admin'] }),
  });
});

export async function declare(more: object = {}): Promise<{ code: string; records: string }> {
  const code = unique('person');
  const { status, text } = await api.post(DEFINITIONS, {
    body: {
      code,
      name: 'Người',
      apiPath: unique('people'),
      uiSchemaJson: JSON.stringify(schema),
      ...more,
    },
  });
  expect(status, text).toBe(201);
  return { code, records: `/api/v1/dynamic/${code}` };
}

/** Asks until the answer is as hoped. */
export async function until<T>(
  ask: () => Promise<T>,
  isReached: (answer: T) => boolean,
): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    const answer = await ask();
    if (isReached(answer) || turn === 240) return answer;
    await sleep(500);
  }
}

/** The job at a place, once it has ended. */
export function jobAt(location = '') {
  return until(
    () => api.get(location),
    ({ body }) => body.state === 'DONE' || body.state === 'FAILED',
  );
}

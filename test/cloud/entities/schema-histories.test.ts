import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { saveAesKey } from '../../helpers/cloud/save-aes-key.ts';

const DEFINITIONS = '/api/v1/entity-definitions';
const status = { type: 'string', enum: ['open', 'closed'] };
const text = { type: 'string' };
const formOf = (properties: object, more: object = {}) => ({
  type: 'object',
  'x-label': 'name',
  properties: { name: text, ...properties },
  ...more,
});

let api: ApiClient;

beforeAll(async () => {
  const token = await cloud.token({ sub: 'mai', roles: ['admin'] });
  api = createApiClient({ baseUrl: cloud.baseUrl, token });
  await saveAesKey(api);
});

/** The jobs of a schema change, once they have ended. */
async function ended(code: string, jobs: readonly { readonly id: string }[]): Promise<string[]> {
  const states: string[] = [];
  for (const id of new Set(jobs.map((job) => job.id))) {
    for (let turn = 0; ; turn += 1) {
      const { body } = await api.get(`${DEFINITIONS}/code/${code}/jobs/${id}`);
      const isOpen = body.state === 'WAITING' || body.state === 'RUNNING';
      if (!isOpen || turn === 240) {
        states.push(body.state);
        break;
      }
      await sleep(500);
    }
  }
  return states;
}

describe('schema changes in a row', () => {
  it('leave what looking at every record finds, while records are written', async () => {
    const code = `staff-${randomUUID().slice(0, 8)}`;
    const records = `/api/v1/dynamic/${code}`;
    const change = async (form: object) => {
      const answer = await api.put(`${DEFINITIONS}/code/${code}/schema`, { body: form });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.jobs;
    };
    const made = await api.post(DEFINITIONS, {
      body: {
        code,
        name: 'Staff',
        uiSchemaJson: formOf({ salary: text, note: { ...text, 'x-encrypted': true }, status }),
      },
    });
    expect(made.status, made.text).toBe(201);
    for (let at = 0; at < 6; at += 1) {
      const body = { name: `n${at}`, salary: `s${at % 2}`, note: `n${at % 3}` };
      const created = await api.post(records, {
        body: at < 2 ? { ...body, status: 'closed' } : body,
      });
      expect(created.status, created.text).toBe(201);
    }

    const first = await change(
      formOf({ salary: { ...text, 'x-encrypted': true }, note: text, status }),
    );
    const second = await change(
      formOf(
        {
          salary: { ...text, 'x-encrypted': true },
          note: text,
          status: { ...status, default: 'open' },
        },
        { required: ['status'] },
      ),
    );
    const late = await api.post(records, { body: { name: 'late', salary: 's9', note: 'n1' } });
    const early = await api.get(records, { query: { note: 'n1', sort: 'name' } });
    const states = [...(await ended(code, first)), ...(await ended(code, second))];

    expect(late.status, late.text).toBe(201);
    expect(early.body.content.map(({ name }: { name: string }) => name)).toEqual([
      'late',
      'n1',
      'n4',
    ]);
    expect(states).toEqual(['DONE', 'DONE']);
    const list = await api.get(records, { query: { note: 'n1', sort: 'name', consistent: true } });
    expect(list.body).toMatchObject({
      totalElements: 3,
      content: [
        { name: 'late', salary: 's9', status: 'open' },
        { name: 'n1', salary: 's1', status: 'closed' },
        { name: 'n4', salary: 's0', status: 'open' },
      ],
    });
    expect((await api.get(`${records}/facets`, { query: { fields: 'status' } })).body).toEqual({
      status: [
        { value: 'open', count: 5 },
        { value: 'closed', count: 2 },
      ],
    });
    expect((await api.get(records, { query: { salary: 's1' } })).status).toBe(400);
  });
});

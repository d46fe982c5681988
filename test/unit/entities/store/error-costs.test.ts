import { describe, expect, it } from 'vitest';
import { anEntitiesApi, DEFINITIONS, RECORDS } from '../entities-api.ts';

const WIDE = `${RECORDS}/wides`;
const FIELDS = 90;

async function aWideEntity() {
  const api = anEntitiesApi();
  const names = Array.from({ length: FIELDS }, (_, at) => [
    `f${at}`,
    { type: 'string', title: 'x'.repeat(300) },
  ]);
  const uiSchemaJson = { type: 'object', properties: Object.fromEntries(names) };
  await api.define({ code: 'wide', name: 'Wide', apiPath: 'wides', uiSchemaJson });
  await api.get(WIDE);
  return { api, uiSchemaJson };
}

describe('a refused call', () => {
  it.each([
    ['GET', `${WIDE}/00000000-0000-7000-8000-000000000000`, undefined, 404],
    ['GET', `${WIDE}?nothing=1`, undefined, 400],
    ['POST', WIDE, { nothing: 1 }, 400],
    ['PUT', `${WIDE}/00000000-0000-7000-8000-000000000000`, { f0: 'a' }, 404],
  ])('reads the head of a definition only: %s %s', async (method, path, body, status) => {
    const { api } = await aWideEntity();
    let answer = 0;

    const { readUnits } = await api.context.db.meter.costOf(async () => {
      answer = (await api.call({ method, path, body })).status;
    });
    const whole = await api.context.db.meter.costOf(() => api.get(`${DEFINITIONS}/code/wide`));

    expect(answer).toBe(status);
    expect(whole.readUnits).toBeGreaterThan(8);
    expect(readUnits).toBeLessThanOrEqual(4);
  });

  it('follows a definition that another environment has changed', async () => {
    const { api, uiSchemaJson } = await aWideEntity();
    const other = anEntitiesApi({ besides: api.context });
    const properties = { ...uiSchemaJson.properties, nothing: { type: 'string' } };
    await other.put(`${DEFINITIONS}/code/wide/schema`, { ...uiSchemaJson, properties });

    const made = await api.post(WIDE, { nothing: 'x' });

    expect(made.status, made.text).toBe(201);
  });
});

import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, RECORDS } from '../entities-api.ts';

const COUNT = 60;
const text = { type: 'string', format: 'textarea', 'x-searchable': true };
const some: PermissionDecision = { allowed: true, rowFilter: { body: { contains: 'shown' } } };

/** Nodes with texts in the bucket that tell who sees them, of which each takes so long to read. */
async function nodesReadIn(msOfRead: number) {
  let grant: PermissionDecision = { allowed: true };
  const storage = memoryStorage();
  const get = (path: string) => {
    api.context.clock.advance(msOfRead);
    return storage.get(path);
  };
  const host = {
    permissionEvaluator: { hasPermission: () => grant },
    storage: { ...storage, get },
  };
  const api = anEntitiesApi({ host });
  const defined = await api.define({
    ...{
      code: 'part',
      name: 'Part',
      apiPath: 'parts',
      hierarchical: true,
      requirePermission: true,
    },
    uiSchemaJson: {
      type: 'object',
      'x-label': 'name',
      properties: { name: { type: 'string' }, body: text },
    },
  });
  expect(defined.status, defined.text).toBe(201);
  for (let at = 0; at < COUNT; at += 1) {
    const body = `${at % 2 ? 'hidden' : 'shown'} `.padEnd(310_000, 'x ');
    const made = await api.post(`${RECORDS}/parts`, { name: `n${at}`, body });
    expect(made.status, made.text.slice(0, 300)).toBe(201);
  }
  grant = some;
  const before = api.context.clock.now();
  const answer = await api.get(`${RECORDS}/parts/tree?fields=name`);
  return { answer, ms: api.context.clock.now() - before };
}

describe('a tree whose long texts tell who sees what', () => {
  it('has what the caller sees', async () => {
    const { answer } = await nodesReadIn(10);

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(answer.headers['x-truncated']).toBeUndefined();
    expect(answer.body).toHaveLength(COUNT / 2);
  });

  it('is cut where reading them takes longer than a request may', async () => {
    const { answer, ms } = await nodesReadIn(500);

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(ms).toBeLessThan(15_000);
    expect(answer.headers['x-truncated']).toBe('true');
    expect(answer.body).not.toHaveLength(0);
  });
});

import { describe, expect, it } from 'vitest';
import { createTemplatesModule } from '../../../functions/templates/index.ts';
import { aBatchesApi } from './batches/batches-api.ts';
import { letter } from './generations/generations-api.ts';
import { ofTenant } from './templates-api.ts';

const FIRST = 'first';
const caller = ofTenant('other');

/** A template of one tenant with a generation and a batch, and a template of another one. */
async function twoTenants() {
  const world = await aBatchesApi();
  const made = await world.generate({ entityData: { ho_ten: 'An' } });
  const batch = await world.startBatch({ records: [{}] });
  await world.runJobs();
  const ids: Readonly<Record<string, string>> = {
    ...{ templateId: world.templateId, code: 'HDLD', fileVersion: '1' },
    ...{ generationId: String(made.body.generationId), batchId: String(batch.body.batchId) },
  };
  const { routes } = createTemplatesModule(world.context);
  const own = routes.filter(
    ({ path }) => /\{(?:templateId|code)\}/.test(path) && !/builtin/.test(path),
  );
  return { world, ids, own, foreign: await world.api.aTemplate({ code: FIRST }, caller) };
}

const filled = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);

describe('another tenant', () => {
  it('finds nothing of a template at any address, neither by its own template', async () => {
    const { world, ids, own, foreign } = await twoTenants();
    const before = JSON.stringify(world.context.db.items().filter(({ pk }) => !isOf(pk, foreign)));
    const found: string[] = [];
    const ask = async ({ method, path, bodyExample }: (typeof own)[number], of: typeof ids) => {
      const headers = { 'if-match': '"1"' };
      const request = { method, path: filled(path, of), body: bodyExample, headers, caller };
      const { status } =
        path.endsWith('/file') && method === 'PUT'
          ? await world.api.upload(of.templateId ?? '', letter('x'), { caller })
          : await world.api.call(request);
      if (status !== 404) found.push(`${method} ${path}: ${status}`);
    };

    for (const route of own) await ask(route, ids);
    const ofDocuments = own.filter(({ path }) => /\{(?:generationId|batchId)\}/.test(path));
    for (const route of ofDocuments) await ask(route, { ...ids, templateId: foreign });

    expect(found).toEqual([]);
    expect([own.length, ofDocuments.length]).toEqual([22, 6]);
    const after = world.context.db.items().filter(({ pk }) => !isOf(pk, foreign));
    expect(JSON.stringify(after)).toBe(before);
    const { content } = (await world.api.get('/api/v1/templates', { caller })).body;
    expect(content).toMatchObject([{ id: foreign }]);
  });
});

const isOf = (pk: unknown, id: string): boolean => String(pk).includes(id);

import { describe, expect, it } from 'vitest';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import { letter } from '../generations/generations-api.ts';
import { aTemplatesApi, TEMPLATES } from '../templates-api.ts';

const file = makeDocx({
  body: '<w:p><w:r><w:t>{{Ho_Ten}} and «ho_ten» in «Hà Nội» [[%x]]</w:t></w:r></w:p>',
});

async function aPath(svc?: Readonly<Record<string, unknown>>) {
  const api = aTemplatesApi(svc ? { svc } : {});
  const id = await api.aTemplate();
  return { api, id, path: `${TEMPLATES}/${id}/merge-fields` };
}

describe('PUT /api/v1/templates/{id}/merge-fields', () => {
  it('declares fields, which the file has in any case', async () => {
    const { api, id, path } = await aPath();
    await api.upload(id, file);
    const declared = [
      { name: 'ho_ten', sourceType: 'ENTITY', sourceRef: 'employee.fullName', required: true },
      { name: 'total', sourceType: 'COMPUTED', expression: 'sum(items.price)', dataType: 'NUMBER' },
      { name: 'day', sourceType: 'BUILTIN', sourceRef: 'today', dataType: 'DATE' },
      { name: 'who', sourceType: 'SYSTEM', sourceRef: 'setting:template.signer' },
    ];

    const answer = await api.put(path, { fields: declared, version: 2 });
    const sentBack = await api.put(path, answer.body);

    expect(answer).toMatchObject({ status: 200, headers: { etag: '"3"' } });
    expect(answer.body.fields).toMatchObject([
      { ...declared[0], bound: true, occurrences: 2, dataType: 'STRING', label: null },
      { ...declared[1], occurrences: 0 },
      { name: 'day' },
      { name: 'who' },
    ]);
    expect([sentBack.status, sentBack.body.version]).toEqual([200, 4]);
    expect((await api.put(path, { fields: [], version: 2 })).status).toBe(412);
    expect((await api.put(path, { fields: [] })).body.fields).toMatchObject([{ bound: false }]);
  });

  it.each([
    [{ sourceType: 'API' }, 'API_SOURCE_NOT_SUPPORTED', '/fields/0/sourceType'],
    [
      { sourceType: 'SYSTEM', sourceRef: 'setting:security.aes_secret' },
      'MERGE_FIELDS_INVALID',
      '/fields/0/sourceRef',
    ],
    [
      { sourceType: 'BUILTIN', sourceRef: 'tomorrow' },
      'MERGE_FIELDS_INVALID',
      '/fields/0/sourceRef',
    ],
    [
      { sourceType: 'COMPUTED', expression: 'constructor.constructor' },
      'MERGE_FIELDS_INVALID',
      '/fields/0/expression',
    ],
    [{ sourceType: 'ENTITY', dataType: 'HTML' }, 'MERGE_FIELDS_INVALID', '/fields/0/dataType'],
  ])('refuses %j', async (field, code, pointer) => {
    const { api, path } = await aPath();

    const answer = await api.put(path, { fields: [{ name: 'x', ...field }] });

    expect([answer.status, answer.body.code]).toEqual([422, code]);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  it('lets fields show settings that the configuration allows', async () => {
    const fields = [{ name: 'x', sourceType: 'SYSTEM', sourceRef: 'setting:company.phone' }];
    const strict = await aPath();
    const open = await aPath({ template: { enabled: true, 'readable-settings': 'company.' } });

    expect((await strict.api.put(strict.path, { fields })).status).toBe(422);
    expect((await open.api.put(open.path, { fields })).status).toBe(200);
  });
});

describe('GET /api/v1/templates/{id}/merge-fields/inspect', () => {
  it('shows every marker as it was uploaded', async () => {
    const { api, id, path } = await aPath();
    await api.upload(id, file);
    await api.put(path, { fields: [{ name: 'unused', sourceType: 'ENTITY' }] });

    const { body } = await api.get(`${path}/inspect`);

    expect(body).toMatchObject({
      ...{ templateId: id, fileVersion: 1, normalized: true },
      summary: { occurrences: 2, distinct: 1, byKind: { MUSTACHE: 1, GUILLEMET: 1 } },
      fields: [
        {
          name: 'Ho_Ten',
          kinds: ['MUSTACHE', 'GUILLEMET'],
          occurrences: [{ raw: '{{Ho_Ten}}', location: 'BODY', paragraph: 1 }, {}],
        },
      ],
      unbound: ['Ho_Ten'],
      unused: ['unused'],
      invalid: [{ raw: '[[%x]]', code: 'INVALID_NAME' }],
    });
    expect(body.warnings).toContainEqual(expect.objectContaining({ code: 'FIELD_CASE_VARIANT' }));
  });

  it('counts the name of a list or a condition as used', async () => {
    const { api, id, path } = await aPath();
    await api.upload(id, letter('{{#when}}x{{/when}} {{items.name}}'));
    const names = ['when', 'items', 'item'];
    await api.put(path, { fields: names.map((name) => ({ name, sourceType: 'ENTITY' })) });

    expect((await api.get(`${path}/inspect`)).body.unused).toEqual(['item']);
  });
});

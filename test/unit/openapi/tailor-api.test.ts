import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pageQuery } from '../../../shared/http/paging.ts';
import { ok } from '../../../shared/http/reply.ts';
import { publicAccess, type Route, route } from '../../../shared/http/route.ts';
import { describeApi } from '../../../shared/openapi/describe-api.ts';
import { tailorApi } from '../../../shared/openapi/tailor-api.ts';
import { describedSvcConfig, loadConfig } from '../../helpers/world/svc-config.ts';

const aRoute = (operationId: string, path: string, query = z.strictObject({})): Route =>
  route({
    operationId,
    method: 'GET',
    path,
    summary: 'Reads',
    access: publicAccess,
    query,
    responses: {
      200: {
        description: 'It',
        schema: z.object({ id: z.string() }).meta({ id: `Answer${operationId}` }),
        links: { getA: { id: '$response.body#/id' }, getB: { id: '$response.body#/id' } },
      },
    },
    handle: async () => ok({}),
  });

const document = describeApi(
  [
    {
      module: 'a',
      tag: 'A',
      description: 'A.',
      routes: ({ web }) => [aRoute('getA', '/a', z.strictObject(pageQuery(web)))],
    },
    {
      module: 'b',
      tag: 'B',
      description: 'B.',
      routes: ({ dynamic }) => [aRoute('getB', `${dynamic.apiPrefix}/b`)],
    },
    {
      module: 'b',
      tag: 'C',
      description: 'C.',
      when: ['mq.relay.enabled'],
      routes: () => [aRoute('getC', '/c')],
    },
  ],
  { title: 'test', version: '1.0.0', description: 'A test' },
  describedSvcConfig(),
);
const config = loadConfig({});

describe('the document of a deployment', () => {
  it('has no path, tag, schema or link of a module that is off', () => {
    const tailored = tailorApi(document, { modulesOn: ['a'], config });

    expect(Object.keys(tailored.paths)).toEqual(['/a']);
    expect(tailored.tags.map(({ name }) => name)).toEqual(['A']);
    expect(Object.keys(tailored.components.schemas ?? {})).toEqual([
      'AnswergetA',
      'Problem',
      'ProblemItem',
    ]);
    expect(tailored.paths['/a']?.get?.responses['200']).toMatchObject({
      links: { getA: { operationId: 'getA' } },
    });
    expect(JSON.stringify(tailored)).not.toContain('getB');
  });

  it('has the paths that the configuration decides', () => {
    const other = loadConfig({ 'dynamic.api-prefix': '/data' });

    const tailored = tailorApi(document, { modulesOn: ['b'], config: other });

    expect(Object.keys(tailored.paths)).toEqual(['/data/b']);
  });

  it('has operations of a property only when it is on', () => {
    const on = loadConfig({
      'mq.transport': 'broker',
      'mq.app-code': 'x',
      'mq.relay.enabled': true,
    });

    expect(tailorApi(document, { modulesOn: ['b'], config: on }).paths).toHaveProperty('/c');
    expect(tailorApi(document, { modulesOn: ['b'], config }).paths).not.toHaveProperty('/c');
  });

  it('has the limits as configured', () => {
    const other = loadConfig({ 'web.page-size-max': 50, 'web.page-size-default': 10 });

    const { paths } = tailorApi(document, { modulesOn: ['a'], config: other });

    expect(paths['/a']?.get?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'size',
        schema: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
      }),
    );
  });

  it('has the limits of schemas that operations share, also those of a module of an application', () => {
    const text = z
      .string()
      .max(9)
      .meta({ 'x-config': { maxLength: 'notes.max-length' } });
    const body = z.strictObject({ text }).meta({ id: 'NewNote' });
    const routes = () => [{ ...aRoute('addNote', '/notes'), method: 'POST' as const, body }];
    const notes = describeApi(
      [{ module: 'notes', tag: 'Notes', description: 'Notes.', routes }],
      { title: 'test', version: '1.0.0', description: 'A test' },
      describedSvcConfig(),
    );

    const { components } = tailorApi(notes, {
      modulesOn: ['notes'],
      config: { ...config, notes: { maxLength: 5 } },
    });

    expect(components.schemas?.NewNote).toMatchObject({
      properties: { text: { type: 'string', maxLength: 5 } },
    });
    expect(JSON.stringify(components)).not.toContain('x-config');
  });

  it('shows nothing of how it was made', () => {
    const text = JSON.stringify(tailorApi(document, { modulesOn: ['a', 'b'], config }));

    expect(text).not.toMatch(/x-module|x-when|x-config|~/);
  });
});

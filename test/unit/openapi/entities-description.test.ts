import { describe, expect, it } from 'vitest';
import { operations } from './whole-document.ts';

const operation = (id: string) =>
  operations().find((each) => each.operation.operationId === id)?.operation;

describe('the description of records', () => {
  it.each([
    'listRecords',
    'countRecords',
    'getRecordFacets',
    'listDeletedRecords',
    'exportRecords',
  ])('has an input for the filters of %s', (id) => {
    expect(operation(id)?.parameters).toContainEqual(
      expect.objectContaining({ name: 'filters', in: 'query', style: 'form', explode: true }),
    );
  });

  it('shows files of an import as they are sent', () => {
    const { content = {} } = operation('importRecords')?.requestBody ?? {};

    expect(content['text/csv']?.example).toMatch(/^name,status\n/);
    expect(JSON.parse(String(content['application/x-ndjson']?.example))).toHaveProperty('name');
    expect(content['application/json']?.example).toEqual([expect.any(Object)]);
  });

  it.each(['createEntityDefinition', 'updateEntitySchema'])('names the keywords in %s', (id) => {
    const text = operation(id)?.description;

    for (const keyword of ['x-label', 'x-unique', 'x-indexes', 'x-reference', 'x-search']) {
      expect(text).toContain(`\`${keyword}\``);
    }
  });

  it.each(['createRecord', 'updateRecord', 'patchRecord'])('names the parent in %s', (id) => {
    expect(JSON.stringify(operation(id)?.requestBody)).toContain('`parentId`');
  });
});

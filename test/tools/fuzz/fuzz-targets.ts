import { CommandError } from '../../../bin/dev/terminal/command-error.ts';

/** Values of path parameters that lead to something: by name, the values and the operations that use them. */
export interface FuzzTarget {
  /** Parameter of the path. */
  readonly parameter: string;
  readonly operationIds: readonly string[];
  readonly values: readonly string[];
}

const RECORD_OPERATIONS = [
  'getRecord',
  'updateRecord',
  'patchRecord',
  'deleteRecord',
  'restoreRecord',
  'getRecordHistory',
] as const;
const ENTITY_OPERATIONS = [
  'listRecords',
  'createRecord',
  'countRecords',
  'getRecordFacets',
  'listDeletedRecords',
  'getRecordTree',
  'getRecordFormSchema',
  'exportRecords',
  'importRecords',
  'bulkRecords',
  ...RECORD_OPERATIONS,
] as const;
/** What deletes a definition, or changes its flags, is left to what the fuzzer makes itself. */
const DEFINITION_OPERATIONS = [
  'getEntityDefinition',
  'updateEntitySchema',
  'listEntityFields',
  'listEntitySchemaVersions',
  'recountEntity',
] as const;
/** Every operation that is led somewhere. */
export const targetedOperations: readonly string[] = [
  ...ENTITY_OPERATIONS,
  ...DEFINITION_OPERATIONS,
];
const RECORDS = 40;

/** An entity that takes any field, so that whatever the fuzzer makes up reaches the table. */
const openEntity = (code: string) => ({
  code,
  name: 'Fuzzed',
  hierarchical: true,
  options: { history: true, events: 'full' },
  uiSchemaJson: {
    type: 'object',
    additionalProperties: true,
    properties: {
      name: { type: 'string' },
      status: { type: 'string', enum: ['open', 'closed'] },
      amount: { type: 'number' },
      day: { type: 'string', format: 'date' },
      tags: { type: 'array', items: { type: 'string' } },
      unique: { type: 'string', 'x-unique': true },
    },
  },
});

/**
 * Makes an entity with records, so that requests meet more than 404s.
 * @returns where the fuzzer finds them; nothing where the platform has no entities.
 */
export async function makeFuzzTargets(baseUrl: string, token: string): Promise<FuzzTarget[]> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok || answer.status === 404) return answer;
    throw new CommandError(
      `POST ${path} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
      'Correct what refuses the data that the fuzzer needs.',
    );
  };
  const suffix = Date.now().toString(36);
  const [records, schemas] = [`fuzz-records-${suffix}`, `fuzz-schemas-${suffix}`];
  const made = await post('/api/v1/entity-definitions', openEntity(records));
  if (made.status === 404) return [];
  await post('/api/v1/entity-definitions', openEntity(schemas));
  const operations = Array.from({ length: RECORDS }, (_, at) => ({
    op: 'create',
    data: { name: `Name ${at}`, status: at % 2 ? 'open' : 'closed', amount: at, unique: `u${at}` },
  }));
  const filled = await post(`/api/v1/dynamic/${records}/bulk`, { operations });
  const { results } = (await filled.json()) as { results: readonly { id: string }[] };
  return [
    { parameter: 'entityCode', operationIds: ENTITY_OPERATIONS, values: [records] },
    { parameter: 'id', operationIds: RECORD_OPERATIONS, values: results.map(({ id }) => id) },
    { parameter: 'code', operationIds: DEFINITION_OPERATIONS, values: [schemas] },
  ];
}

import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';

const RECORD_OPERATIONS = [
  'getRecord',
  'updateRecord',
  'patchRecord',
  'deleteRecord',
  'restoreRecord',
  'getRecordHistory',
  'getRecordFile',
  'listReferringRecords',
];
const ENTITY_OPERATIONS = [
  'listRecords',
  'createRecord',
  'countRecords',
  'getRecordFacets',
  'aggregateRecords',
  'listDeletedRecords',
  'getRecordTree',
  'getRecordFormSchema',
  'exportRecords',
  'importRecords',
  'announceImport',
  'getImportUpload',
  'importUpload',
  'bulkRecords',
  'updateRecordsByFilter',
  'announceFile',
  'getAnnouncedFile',
  ...RECORD_OPERATIONS,
];
/** Operations on the prepared definition; those that delete it or change its flags use definitions that the fuzzer creates. */
const DEFINITION_OPERATIONS = [
  'getEntityDefinition',
  'updateEntitySchema',
  'listEntityFields',
  'listEntitySchemaVersions',
  'recountEntity',
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
      scan: { type: 'string', format: 'file', 'x-file': { maxBytes: 1_000_000 } },
      friend: { type: 'string', 'x-reference': { entity: code, onDelete: 'none' } },
    },
  },
});

/** Fuzzer hints for entities: an entity with records, and the rules that no request schema can express. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['createEntityDefinition', 'updateEntitySchema'],
      check: 'positive_data_acceptance',
      reason: 'A form schema has rules of its own, which no schema of the request can say.',
    },
    {
      operationIds: ['updateEntityDefinition', 'patchEntityDefinition'],
      check: 'positive_data_acceptance',
      reason: 'The number of shards cannot change, and which it is depends on the entity.',
    },
    {
      operationIds: [
        'listRecords',
        'createRecord',
        'updateRecord',
        'patchRecord',
        'countRecords',
        'getRecordFacets',
        'aggregateRecords',
        'listDeletedRecords',
        'listReferringRecords',
        'exportRecords',
        'importRecords',
        'bulkRecords',
        'updateRecordsByFilter',
        'deleteRecordsByFilter',
        'getRecordTree',
        'getRecord',
      ],
      check: 'positive_data_acceptance',
      reason: 'Fields, filters and values of records follow from the definition of their entity.',
    },
    {
      operationIds: ['announceImport', 'announceFile', 'importUpload'],
      check: 'positive_data_acceptance',
      reason:
        'How large a file may be follows from its format or field and from where files live; which keys and fields there are, from the entity.',
    },
    {
      operationIds: ['restoreEntityDefinition', 'restoreRecord', 'recountEntity', 'getRecord'],
      check: 'use_after_free',
      reason: 'What was deleted can be restored, and asked for in the trash.',
    },
  ],
  targetedOperations: [...ENTITY_OPERATIONS, 'deleteRecordsByFilter', ...DEFINITION_OPERATIONS],
  async prepare(post, suffix) {
    const [records, schemas, emptied] = ['records', 'schemas', 'emptied'].map(
      (name) => `fuzz-${name}-${suffix}`,
    ) as [string, string, string];
    await post('/api/v1/entity-definitions', openEntity(records));
    await post('/api/v1/entity-definitions', openEntity(schemas));
    await post('/api/v1/entity-definitions', openEntity(emptied));
    const operations = Array.from({ length: RECORDS }, (_, at) => ({
      op: 'create',
      data: {
        name: `Name ${at}`,
        status: at % 2 ? 'open' : 'closed',
        amount: at,
        unique: `u${at}`,
      },
    }));
    const filled = await post(`/api/v1/dynamic/${records}/bulk`, { operations });
    const { results } = filled as { results: readonly { id: string }[] };
    return [
      { parameter: 'entityCode', operationIds: ENTITY_OPERATIONS, values: [records] },
      { parameter: 'entityCode', operationIds: ['deleteRecordsByFilter'], values: [emptied] },
      { parameter: 'id', operationIds: RECORD_OPERATIONS, values: results.map(({ id }) => id) },
      { parameter: 'relation', operationIds: ['listReferringRecords'], values: [records] },
      { parameter: 'code', operationIds: DEFINITION_OPERATIONS, values: [schemas] },
    ];
  },
};

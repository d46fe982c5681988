/** Checks of the fuzzer that do not hold for an operation, each with its reason. */
export interface FuzzException {
  readonly operationIds: readonly string[];
  /** Name of the check, as the fuzzer calls it. */
  readonly check: string;
  readonly reason: string;
}

/** Where the platform does on purpose what the fuzzer takes for a mistake. */
export const fuzzExceptions: readonly FuzzException[] = [
  {
    operationIds: ['getSettingHistory', 'rollbackSetting'],
    check: 'use_after_free',
    reason: 'The history of a deleted setting stays, and rolling back brings the setting back.',
  },
  {
    operationIds: ['createEntityDefinition', 'updateEntitySchema'],
    check: 'positive_data_acceptance',
    reason: 'A form schema has rules of its own, which no schema of the request can say.',
  },
  {
    operationIds: [
      'listRecords',
      'createRecord',
      'updateRecord',
      'patchRecord',
      'countRecords',
      'getRecordFacets',
      'listDeletedRecords',
      'exportRecords',
      'importRecords',
      'bulkRecords',
      'getRecordTree',
      'getRecord',
    ],
    check: 'positive_data_acceptance',
    reason: 'Fields, filters and values of records follow from the definition of their entity.',
  },
  {
    operationIds: ['restoreEntityDefinition', 'restoreRecord', 'recountEntity', 'getRecord'],
    check: 'use_after_free',
    reason: 'What was deleted can be restored, and asked for in the trash.',
  },
];

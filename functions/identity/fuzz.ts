import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';

/** Operations on the prepared source. */
const SOURCE_OPERATIONS = [
  'getIdentitySource',
  'getIdentitySourceConfig',
  'rotateIdentitySourceEventSecret',
  'enableIdentitySource',
  'disableIdentitySource',
  'executeIdentitySync',
];

/** Fuzzer hints for identity sources: a source to find. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['createIdentitySource', 'saveIdentitySourceConfig', 'validateIdentitySource'],
      check: 'positive_data_acceptance',
      reason: 'Schedules, mappings and passwords have rules that no schema can say.',
    },
    {
      operationIds: ['receiveIdentityEvent'],
      check: 'positive_data_acceptance',
      reason: 'Only the source can sign its events.',
    },
  ],
  targetedOperations: SOURCE_OPERATIONS,
  async prepare(post, suffix) {
    const body = { name: `Fuzzed ${suffix}`, provider: 'EXTSRC' };
    const { id } = (await post('/api/v1/identity_source/create', body)) as { readonly id: string };
    return [{ parameter: 'id', operationIds: SOURCE_OPERATIONS, values: [id] }];
  },
};

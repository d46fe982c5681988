import { randomBytes } from 'node:crypto';
import type { FuzzHints, FuzzPost } from '../../shared/module/fuzz-hints.ts';

/** Operations on the prepared source. */
const SOURCE_OPERATIONS = [
  'getIdentitySource',
  'getIdentitySourceConfig',
  'rotateIdentitySourceEventSecret',
  'enableIdentitySource',
  'disableIdentitySource',
  'executeIdentitySync',
];
/** Operations on the prepared provider: an enabled one would be called by each login. */
const PROVIDER_OPERATIONS = ['getIdentityProvider', 'disableIdentityProvider'];
/** Operations on the prepared run. */
const RUN_OPERATIONS = ['getIdentitySyncRun', 'approveIdentitySync', 'cancelIdentitySync'];

/** No address that may be called: nothing is connected to. */
const NOWHERE = 'https://127.0.0.1:9';
const basicConfig = { baseUrl: `${NOWHERE}/scim/v2`, adminUsername: 'fuzz', adminPassword: 'fuzz' };

/** What is stored encrypted needs a key; what a former key has encrypted stays readable. */
const saveKey = (post: FuzzPost): Promise<unknown> =>
  post('/api/v1/setting/save', {
    name: 'security.aes_secret',
    value: `base64:${randomBytes(32).toString('base64')}`,
  });

/** Fuzzer hints for identity: a source with a run, and a provider. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: [
        ...['createIdentitySource', 'saveIdentitySourceConfig', 'validateIdentitySource'],
        'previewIdentityMapping',
        ...['createIdentityProvider', 'updateIdentityProvider', 'validateIdentityProvider'],
      ],
      check: 'positive_data_acceptance',
      reason: 'Schedules, mappings, passwords and addresses have rules that no schema can say.',
    },
    {
      operationIds: ['receiveIdentityEvent'],
      check: 'positive_data_acceptance',
      reason: 'Only the source can sign its events.',
    },
    {
      operationIds: ['beginLogin', 'finishLogin', 'getLoginToken'],
      check: 'positive_data_acceptance',
      reason:
        'Only a browser that has begun a login ends it, and only known origins are returned to.',
    },
  ],
  targetedOperations: [...SOURCE_OPERATIONS, ...PROVIDER_OPERATIONS, ...RUN_OPERATIONS],
  async prepare(post, suffix) {
    await saveKey(post);
    const facts = { name: `Fuzzed ${suffix}`, provider: 'EXTSRC', basicConfig };
    const source = (await post('/api/v1/identity_source/create', facts)) as { readonly id: string };
    const execute = `/api/v1/identity_source/sync/execute/${source.id}`;
    const run = (await post(execute, { dryRun: true })) as { readonly batch: string };
    const provider = (await post('/api/v1/identity_provider/create', {
      name: `Fuzzed ${suffix}`,
      config: { issuer: NOWHERE, clientId: 'fuzz' },
    })) as { readonly id: string };
    return [
      { parameter: 'id', operationIds: SOURCE_OPERATIONS, values: [source.id] },
      { parameter: 'id', operationIds: PROVIDER_OPERATIONS, values: [provider.id] },
      { parameter: 'batch', operationIds: RUN_OPERATIONS, values: [run.batch] },
    ];
  },
};

import { defineProblems, type ProblemItem } from '../../../shared/problems/problem.ts';

/** The problems of sources, their runs and events, and of accounts. */
export const sourceProblems = defineProblems({
  sourceNotFound: {
    code: 'IDENTITY_SOURCE_NOT_FOUND',
    status: 404,
    title: 'Identity source not found',
    describe: ({ source }: { source: string }) => `There is no identity source ${source}.`,
  },
  providerNotSupported: {
    code: 'PROVIDER_NOT_SUPPORTED',
    status: 400,
    title: 'Kind of provider is not supported',
    describe: ({ provider }: { provider: string }) =>
      `There is no kind of source ${provider}; the only one is EXTSRC.`,
  },
  codeExists: {
    code: 'IDENTITY_CODE_EXISTS',
    status: 409,
    title: 'Code already in use',
    describe: ({ code }: { code: string }) => `The code ${code} is taken.`,
  },
  nameExists: {
    code: 'NAME_EXISTS',
    status: 409,
    title: 'Name already in use',
    describe: ({ name }: { name: string }) => `The name ${name} is taken, in any case of letters.`,
  },
  passwordRequired: {
    code: 'PASSWORD_REQUIRED',
    status: 400,
    title: 'Password must be sent again',
    describe: (missing: readonly Pick<ProblemItem, 'pointer'>[]) => ({
      detail: 'The stored secrets belong to another origin; send them again with the new address.',
      errors: missing.map(({ pointer }) => ({
        pointer,
        code: 'PASSWORD_REQUIRED',
        detail: 'must be sent again, because the address has another origin',
      })),
    }),
  },
  weakPassword: {
    code: 'WEAK_PASSWORD',
    status: 400,
    title: 'Password is too weak',
    describe: ({ reason }: { reason: string }) => ({
      detail: reason,
      errors: [
        {
          pointer: '/strategyConfig/user/defaultPassword',
          code: 'WEAK_PASSWORD',
          detail: reason,
        },
      ],
    }),
  },
  scheduleInvalid: {
    code: 'SCHEDULE_INVALID',
    status: 400,
    title: 'Schedule is not valid',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: errors.map(({ detail }) => detail).join('; '),
      errors,
    }),
  },
  addressNotAllowed: {
    code: 'ADDRESS_NOT_ALLOWED',
    status: 400,
    title: 'Address is not allowed',
    describe: (fields: readonly string[]) => ({
      detail: 'Sources are called over https only.',
      errors: fields.map((field) => ({
        pointer: `/basicConfig/${field}`,
        code: 'ADDRESS_NOT_ALLOWED',
        detail: 'must be an https address; svc.idp.allow-insecure-hosts names others',
      })),
    }),
  },
  mappingInvalid: {
    code: 'MAPPING_INVALID',
    status: 400,
    title: 'Mapping is not valid',
    describe: ({ field = '', detail }: { field: string | undefined; detail: string }) => ({
      detail,
      errors: [
        {
          pointer: `/strategyConfig/mapping/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          code: 'MAPPING_INVALID',
          detail,
        },
      ],
    }),
  },
  sourceUnreadable: {
    code: 'SOURCE_UNREADABLE',
    status: 422,
    title: 'Identity source cannot be read',
    describe: ({ reason }: { reason: string }) =>
      `With this configuration the source cannot be read: ${reason}.`,
  },
  sourceUserNotFound: {
    code: 'SOURCE_USER_NOT_FOUND',
    status: 404,
    title: 'User not found at the source',
    describe: () => 'The source has no such user.',
  },
  targetNotFound: {
    code: 'TARGET_NOT_FOUND',
    status: 400,
    title: 'Target department not found',
    describe: ({ targetId }: { targetId: string }) => ({
      detail: `There is no department ${targetId}.`,
      errors: [
        {
          pointer: '/strategyConfig/organization/targetId',
          code: 'TARGET_NOT_FOUND',
          detail: 'names no department',
        },
      ],
    }),
  },
  notConfigured: {
    code: 'NOT_CONFIGURED',
    status: 409,
    title: 'Identity source is not configured',
    describe: ({ id }: { id: string }) => `Save the connection data of the source ${id} first.`,
  },
  sourceEnabled: {
    code: 'SOURCE_ENABLED',
    status: 409,
    title: 'Identity source is enabled',
    describe: ({ id }: { id: string }) => `Disable the source ${id} first.`,
  },
  sourceDisabled: {
    code: 'SOURCE_DISABLED',
    status: 409,
    title: 'Identity source is disabled',
    describe: ({ id }: { id: string }) => `Enable the source ${id} first, or ask for a dry run.`,
  },
  syncInProgress: {
    code: 'SYNC_IN_PROGRESS',
    status: 409,
    title: 'Identity source is being synchronised',
    describe: ({ runningBatch }: { runningBatch: string }) => ({
      detail: `The run ${runningBatch} has not ended.`,
      extensions: { runningBatch },
    }),
  },
  runState: {
    code: 'RUN_STATE',
    status: 409,
    title: 'The state of the run does not allow this',
    describe: ({ batch, status }: { batch: string; status: string }) =>
      `The run ${batch} is ${status}.`,
  },
  nothingFailed: {
    code: 'NOTHING_FAILED',
    status: 409,
    title: 'The run has no failed records',
    describe: ({ batch }: { batch: string }) => `No record of the run ${batch} has failed.`,
  },
  runNotFound: {
    code: 'SYNC_RUN_NOT_FOUND',
    status: 404,
    title: 'Run of a synchronisation not found',
    describe: ({ id }: { id: string }) => `There is no run ${id}.`,
  },
  jobNotFound: {
    code: 'ACCOUNT_REMOVAL_NOT_FOUND',
    status: 404,
    title: 'Job not found',
    describe: ({ id }: { id: string }) => `There is no job ${id}.`,
  },
  userNotFound: {
    code: 'USER_NOT_FOUND',
    status: 404,
    title: 'User not found',
    describe: ({ id }: { id: string }) => `There is no user ${id}.`,
  },
  ownAccount: {
    code: 'OWN_ACCOUNT',
    status: 409,
    title: 'Callers cannot disable their own account',
    describe: () => 'A call cannot disable the account that it is made with.',
  },
  eventUnauthenticated: {
    code: 'EVENT_UNAUTHENTICATED',
    status: 401,
    title: 'Event is not signed by its source',
    describe: () => ({
      detail: 'The signature, the time or the address of the event is not valid.',
      // An answer 401 must have it (RFC 9110, 15.5.2), though no scheme is registered for signed bodies.
      headers: { 'www-authenticate': 'Signature' },
    }),
  },
  eventInvalid: { code: 'EVENT_INVALID', status: 400, title: 'Event cannot be read' },
});

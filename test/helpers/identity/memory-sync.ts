import type { IdentitySource } from '../../../functions/identity/domain/sources/source.ts';
import type { SourceSync } from '../../../functions/identity/sync/source-sync.ts';

/** A synchronisation that starts nothing and remembers what it was asked. */
export interface MemorySync extends SourceSync {
  readonly calls: readonly (readonly [string, unknown])[];
}

/** Schedules whose value is `wrong` are refused, so that a test can have one. */
export function memorySync(overrides: Partial<SourceSync> = {}): MemorySync {
  const calls: (readonly [string, unknown])[] = [];
  const note = (name: string, what: unknown): void => {
    calls.push([name, what]);
  };
  const started = { batch: 'batch-1', organizationHistoryId: 'org-1', userHistoryId: 'user-1' };
  return {
    calls,
    execute: async (source, request) => {
      note('execute', [source.id, request]);
      return started;
    },
    approve: async (batch) => {
      note('approve', batch);
      return started;
    },
    retry: async (batch) => {
      note('retry', batch);
      return started;
    },
    cancel: async (batch) => note('cancel', batch),
    register: async (source: IdentitySource) => note('register', source.id),
    deregister: async (source: IdentitySource) => note('deregister', source.id),
    demandFree: async (source) => note('demandFree', source.id),
    validate: async (config) => {
      note('validate', config);
      return { valid: true, checks: [], capabilities: {} };
    },
    preview: async (call) => {
      note('preview', call);
      return undefined;
    },
    schedule: ({ value, timezone = 'UTC' }) =>
      value === 'wrong'
        ? { errors: [{ pointer: '/value', code: 'INVALID_FORMAT', detail: 'is no schedule' }] }
        : {
            schedule:
              value === undefined ? undefined : { expressions: [value], timezone, nextRuns: [] },
          },
    closeDead: async () => false,
    planned: async () => undefined,
    share: async (run, fileName, text) => {
      note('share', [run, fileName, text]);
      return `https://bucket.example/${fileName}`;
    },
    applyOne: async (source, hint) => {
      note('applyOne', [source.id, hint]);
      return { status: 'SUCCESS', actionType: 'UPDATE', desc: 'applied' };
    },
    provision: async (source, userIds) => {
      note('provision', [source.id, userIds]);
      return [];
    },
    runForEvents: async (source, mode) => note('runForEvents', [source.id, mode]),
    ...overrides,
  };
}

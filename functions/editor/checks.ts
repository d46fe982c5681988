import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';
import type { UntestedGrant } from '../../shared/module/grants.ts';
import { LARGE_BODIES, ORDERED_HEADS } from '../../shared/module/untested-grants.ts';

/** Hints for the fuzzer: what no schema can say. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['openDocument'],
      check: 'positive_data_acceptance',
      reason: 'Which paths and names stand for documents no schema can say.',
    },
    {
      operationIds: ['saveDocument'],
      check: 'positive_data_acceptance',
      reason: 'A callback is accepted with tokens only.',
    },
  ],
  targetedOperations: [],
  prepare: async () => [],
};

/** Rights that no journey uses. */
export const UNTESTED_GRANTS: readonly UntestedGrant[] = [LARGE_BODIES, ORDERED_HEADS];

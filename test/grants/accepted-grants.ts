import type { AcceptedGrant } from '../helpers/check-calls-against-policies.ts';

/** Grants that no journey can use, each with the reason why the function needs it all the same. */
export const acceptedGrants: readonly AcceptedGrant[] = [];

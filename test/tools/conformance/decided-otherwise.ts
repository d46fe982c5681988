/** A scenario that the engine does not follow, with what it answers instead and why. */
export interface Decision {
  readonly failure: string;
  readonly reason: string;
}

/** By id. A scenario that fails in another way than written here has failed. */
export const DECIDED_OTHERWISE: Readonly<Record<string, Decision>> = {
  'edge-defCtl': {
    failure:
      'step 0 (start): stateNames: active: expected ["\\"A\\"","\\"B\\"","\\"Keep\\""], found ["\\"B\\"","\\"Keep\\""]',
    reason: 'default controls hold, as CMMN 1.1 (5.4) says: docs/decisions/0062',
  },
  'edge-ctParam': {
    failure: 'step 0 (start): childCases: child: allPlanItemCount: expected 2, found 1',
    reason: 'it expects a plan item "CM" that none of its models has: see own-case-task-parameters',
  },
};

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
];

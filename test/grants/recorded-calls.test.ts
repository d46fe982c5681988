import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  checkCallsAgainstPolicies,
  describeFindings,
} from '../helpers/grants/check-calls-against-policies.ts';
import { parseRecordedCalls } from '../helpers/grants/recorded-call.ts';
import { recordedCallsFile, recordedTemplateFile } from '../helpers/grants/recorded-calls-file.ts';
import { untestedGrants } from '../helpers/grants/untested-grants.ts';
import { deployedModules } from '../tools/deployed-modules.ts';

describe('the policies of the functions', () => {
  const calls = parseRecordedCalls(readFileSync(recordedCallsFile, 'utf8'));
  const template = JSON.parse(readFileSync(recordedTemplateFile, 'utf8'));
  const findings = checkCallsAgainstPolicies(
    calls,
    template,
    untestedGrants(deployedModules, template),
  );

  it('allow every call that the journeys made, on its resource and for its partition keys', () => {
    expect(calls.length).toBeGreaterThan(0);

    expect(describeFindings({ ...findings, unused: [], needlesslyAccepted: [] })).toBe('');
  });

  it('allow nothing that no journey uses', () => {
    expect(describeFindings({ ...findings, missing: [] })).toBe('');
  });
});

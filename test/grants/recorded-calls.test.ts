import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  checkCallsAgainstPolicies,
  describeFindings,
} from '../helpers/grants/check-calls-against-policies.ts';
import { parseRecordedCalls } from '../helpers/grants/recorded-call.ts';
import {
  journeyCallsFile,
  recordedCallsFile,
  recordedTemplateFile,
} from '../helpers/grants/recorded-calls-file.ts';
import { untestedGrants } from '../helpers/grants/untested-grants.ts';
import { deployedModules } from '../tools/deployed-modules.ts';

describe('the policies of the functions', () => {
  const template = JSON.parse(readFileSync(recordedTemplateFile, 'utf8'));
  const accepted = untestedGrants(deployedModules, template);
  const findings = (file: string) =>
    checkCallsAgainstPolicies(parseRecordedCalls(readFileSync(file, 'utf8')), template, accepted);

  it('allow every call that was made, on its resource and for its partition keys', () => {
    const { missing } = findings(recordedCallsFile);

    expect(describeFindings({ missing, unused: [], needlesslyAccepted: [] })).toBe('');
  });

  it('allow nothing that no journey uses', () => {
    const { unused, needlesslyAccepted } = findings(journeyCallsFile);

    expect(describeFindings({ missing: [], unused, needlesslyAccepted })).toBe('');
  });
});

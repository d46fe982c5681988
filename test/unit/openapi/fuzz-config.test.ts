import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../lib/modules.ts';
import { fuzzConfig } from '../../tools/fuzz/fuzz-config.ts';
import { fuzzExceptions, targetedOperations } from '../../tools/fuzz/module-hints.ts';
import { parseFuzzOptions } from '../../tools/fuzz.ts';
import { operations, whole } from './whole-document.ts';

describe('the settings of the fuzzer', () => {
  it('take the token from the environment', () => {
    expect(fuzzConfig(whole)).toMatch(
      /\[auth\.openapi\.bearerAuth\]\nbearer = "\$\{SVC_FUZZ_TOKEN\}"\n/,
    );
  });

  it('let lists refuse what is no cursor of theirs', () => {
    expect(fuzzConfig(whole, [])).toMatch(
      /\[\[operations\]\]\ninclude-operation-id = "listSettings"\nchecks\.positive_data_acceptance\.expected-statuses = \["400"/,
    );
  });

  it('let signed calls refuse what nobody signed', () => {
    const [path = '', methods] = Object.entries(whole.paths)[0] ?? [];
    const [method = '', operation] = Object.entries(methods ?? {})[0] ?? [];
    const signed = { ...operation, operationId: 'receive', 'x-signed-body': true };
    const document = { ...whole, paths: { [path]: { [method]: signed } } } as typeof whole;

    expect(fuzzConfig(document, [])).toMatch(
      /"receive"\nchecks\.positive_data_acceptance\.expected-statuses = \["400"/,
    );
  });

  it('have one section for an operation, whatever it holds', () => {
    const text = fuzzConfig(whole, fuzzExceptions(platformModules));

    expect(text.match(/include-operation-id = "getSettingHistory"/g)).toHaveLength(1);
    expect(text).toMatch(
      /"getSettingHistory"\nchecks\.positive_data[^\n]*\nchecks\.use_after_free\.enabled = false\n/,
    );
  });

  it('lead paths to what is there, and only to operations that exist', () => {
    const targets = [{ parameter: 'id', operationIds: ['getRecord'], values: ['a', 'b'] }];
    const text = fuzzConfig(whole, [], targets);

    expect(text).toContain('[dictionaries.id]\nvalues = ["a","b"]\n');
    expect(
      text.match(/parameters\."path\.id" = \{ dictionary = "id", probability = 0\.9 \}/g),
    ).toHaveLength(1);
    expect(text).toMatch(/include-operation-id = "getRecord"\nparameters\."path\.id"/);
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(ids).toEqual(expect.arrayContaining(targetedOperations(platformModules)));
  });

  it('keep the values of parameters that are called alike apart', () => {
    const of = (id: string, value: string) => ({
      ...{ parameter: 'id', operationIds: [id], values: [value] },
    });
    const text = fuzzConfig(whole, [], [of('getRecord', 'a'), of('getSetting', 'b')]);

    expect(text).toContain('[dictionaries.id]\nvalues = ["a"]\n');
    expect(text).toContain('[dictionaries.id-2]\nvalues = ["b"]\n');
    expect(text).toMatch(/"getSetting"[^[]*dictionary = "id-2"/);
  });

  it('leave out exceptions for operations that are not there', () => {
    const exceptions = [{ operationIds: ['gone'], check: 'use_after_free', reason: 'Gone.' }];

    expect(fuzzConfig(whole, exceptions)).not.toContain('use_after_free');
  });

  it('have exceptions only for operations that exist, each with a reason', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    for (const { operationIds, reason } of fuzzExceptions(platformModules)) {
      expect(ids).toEqual(expect.arrayContaining([...operationIds]));
      expect(reason).toMatch(/\.$/);
    }
  });
});

describe('npm run fuzz', () => {
  it('fuzzes a platform of its own, 100 requests for each operation, when nothing is said', () => {
    expect(parseFuzzOptions([])).toEqual({ seconds: 300, isRunning: false, more: [] });
  });

  it('takes time, number, seed, the running platform and options of the fuzzer', () => {
    const args = [
      '--seconds',
      '20',
      '--max-examples',
      '7',
      '--seed',
      '3',
      '--running',
      '--',
      '--phases=fuzzing',
    ];

    expect(parseFuzzOptions(args)).toEqual({
      seconds: 20,
      maxExamples: 7,
      seed: 3,
      isRunning: true,
      more: ['--phases=fuzzing'],
    });
  });

  it('refuses what is no number', () => {
    expect(() => parseFuzzOptions(['--seed', 'x'])).toThrow(/no whole number/);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { cdkArguments } from '../../../bin/dev/cdk.ts';

describe('cdkArguments', () => {
  it.each([
    [
      ['deploy', '--stage', 'prod', '--profile', 'x'],
      ['deploy', '--all', '--require-approval', 'broadening', '-c', 'stage=prod', '--profile', 'x'],
    ],
    [
      ['diff', '--stage=test', '-c', 'a=b'],
      ['diff', '-c', 'stage=test', '-c', 'a=b'],
    ],
    [
      ['destroy', '--force', '--stage', 'dev'],
      ['destroy', '--all', '-c', 'stage=dev', '--force'],
    ],
    [['synth'], ['synth', '--quiet']],
  ])('%j becomes %j', (args, expected) => {
    expect(cdkArguments(args)).toEqual(expected);
  });

  it('asks for a stage before it touches an account', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', '');

    expect(() => cdkArguments(['deploy'])).toThrow('No stage was named.');
    expect(() => cdkArguments(['deploy', '--stage'])).toThrow('"--stage" needs a name.');
    vi.unstubAllEnvs();
  });
});

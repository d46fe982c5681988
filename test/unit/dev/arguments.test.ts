import { describe, expect, it } from 'vitest';
import { parseContextOptions } from '../../../bin/dev/terminal/arguments.ts';

describe('parseContextOptions', () => {
  it('reads each -c and --context as the CDK CLI does', () => {
    expect(parseContextOptions(['-c', 'svc.mq.transport=spring', '--context', 'a=b=c'])).toEqual({
      'svc.mq.transport': 'spring',
      a: 'b=c',
    });
  });

  it('gives nothing for nothing', () => {
    expect(parseContextOptions([])).toEqual({});
  });

  it.each([[['-c', 'novalue']], [['-c', '=x']], [['--nope']], [['stray']]])(
    'refuses %j and says what to write',
    (args) => {
      expect(() => parseContextOptions(args)).toThrow(
        expect.objectContaining({ advice: expect.stringContaining('-c <property>=<value>') }),
      );
    },
  );
});

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repairState, repairStreamPositions } from '../../../bin/dev/local-cloud/repair.ts';

function lambdaState(positions: Record<string, number>): unknown {
  return {
    __ministack_format__: 2,
    payload: {
      functions: { data: { f: { code: 'x' } } },
      dynamodb_stream_positions: { __account_region_scoped__: true, data: positions },
    },
  };
}

describe('repairStreamPositions', () => {
  it('sets every position to the start and leaves the rest alone', () => {
    const state = lambdaState({ a: 7, b: 0 });

    expect(repairStreamPositions(state)).toEqual(lambdaState({ a: 0, b: 0 }));
    expect(state).toEqual(lambdaState({ a: 7, b: 0 }));
  });

  it.each([
    ['positions are at the start', lambdaState({ a: 0 })],
    ['there are no positions', { payload: {} }],
    ['the state is something else', []],
  ])('finds nothing to repair when %s', (_, state) => {
    expect(repairStreamPositions(state)).toBeUndefined();
  });
});

describe('repairState', () => {
  it('finds nothing in a folder that does not exist', () => {
    expect(repairState('/does/not/exist')).toEqual({ unreadable: [], streamsRepaired: false });
  });

  it('repairs the streams, and names and sets aside what cannot be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'repair-'));
    writeFileSync(join(folder, 'lambda.json'), JSON.stringify(lambdaState({ a: 3 })));
    writeFileSync(join(folder, 'dynamodb.json'), '{"payload": {"tab');
    writeFileSync(join(folder, 'sqs.json'), '{}');

    const report = repairState(folder);

    expect(report).toEqual({ unreadable: ['dynamodb'], streamsRepaired: true });
    expect(readdirSync(folder).sort()).toEqual([
      'dynamodb.json.unreadable',
      'lambda.json',
      'sqs.json',
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'lambda.json'), 'utf8'))).toEqual(
      lambdaState({ a: 0 }),
    );
  });
});

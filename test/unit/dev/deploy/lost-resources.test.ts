import { describe, expect, it } from 'vitest';
import { describeLost, findLost } from '../../../../bin/dev/deploy/lost-resources.ts';

describe('findLost', () => {
  const inventory = {
    'AWS::DynamoDB::Table': new Set(['orders']),
    'AWS::SQS::Queue': new Set(['q']),
    'AWS::Lambda::Function': new Set<string>(),
  };

  it('names what the stack has and the cloud has not', () => {
    const resources = [
      { type: 'AWS::DynamoDB::Table', physicalId: 'orders' },
      { type: 'AWS::SQS::Queue', physicalId: 'http://localhost:4566/000000000000/q' },
      { type: 'AWS::Lambda::Function', physicalId: 'f' },
      { type: 'AWS::Lambda::Function', physicalId: 'g' },
      { type: 'AWS::IAM::Role', physicalId: 'r' },
    ];

    const lost = findLost(resources, inventory);

    expect(lost.map(({ physicalId }) => physicalId)).toEqual(['f', 'g']);
    expect(describeLost(lost)).toBe('2 Lambda Functions');
  });
});

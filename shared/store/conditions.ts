import type { Condition, Update } from './table.ts';

/** The item must not exist yet. */
export const notExists: Condition = { expression: 'attribute_not_exists(pk)' };

/** The item must exist. */
export const exists: Condition = { expression: 'attribute_exists(pk)' };

/** The item must still have the version that was read; 0: it must not exist. */
export function versionIs(version: number): Condition {
  return version === 0
    ? notExists
    : {
        expression: '#version = :expectedVersion',
        names: { '#version': 'version' },
        values: { ':expectedVersion': version },
      };
}

/** A condition as a part of a request. */
export function conditionInput(condition: Condition | undefined) {
  return {
    ConditionExpression: condition?.expression,
    ExpressionAttributeNames: present(condition?.names),
    ExpressionAttributeValues: present(condition?.values),
  };
}

/** An update, and the condition that it needs, as parts of a request. */
export function updateInput(update: Update, condition: Condition | undefined) {
  return {
    UpdateExpression: update.expression,
    ConditionExpression: condition?.expression,
    ExpressionAttributeNames: present({ ...update.names, ...condition?.names }),
    ExpressionAttributeValues: present({ ...update.values, ...condition?.values }),
  };
}

/** DynamoDB refuses empty maps of names and values. */
function present<T extends object>(map: T | undefined): T | undefined {
  return map && Object.keys(map).length > 0 ? map : undefined;
}

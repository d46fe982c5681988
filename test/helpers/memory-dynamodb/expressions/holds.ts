import {
  type Attributes,
  type AttributeValue,
  bytesOf,
  compareValues,
  elementsOf,
  isSame,
  sizeOfValue,
  typeOf,
} from '../attribute-value.ts';
import type { Comparator, ConditionNode, FunctionName, Operand } from './parse-condition.ts';
import { valueAt } from './path.ts';

/** Whether a condition holds for an item; `undefined` stands for no item. */
export function holds(condition: ConditionNode, item: Attributes = {}): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item) && holds(condition.right, item);
    case 'or':
      return holds(condition.left, item) || holds(condition.right, item);
    case 'not':
      return !holds(condition.condition, item);
    case 'compare': {
      const [left, right] = condition.operands.map((operand) => resolve(operand, item));
      return compares(condition.comparator, left, right);
    }
    case 'between': {
      const [value, from, to] = condition.operands.map((operand) => resolve(operand, item));
      return compares('>=', value, from) && compares('<=', value, to);
    }
    case 'in': {
      const [value, ...others] = condition.operands.map((operand) => resolve(operand, item));
      return others.some((other) => compares('=', value, other));
    }
    default:
      return call(
        condition.name,
        condition.operands.map((operand) => resolve(operand, item)),
      );
  }
}

function resolve(operand: Operand, item: Attributes): AttributeValue | undefined {
  if (operand.kind === 'value') return operand.value;
  if (operand.kind === 'path') return valueAt(item, operand.path);
  const value = resolve(operand.of, item);
  if (!value || value.N !== undefined || value.BOOL !== undefined || value.NULL) return undefined;
  const members = value.M ? Object.keys(value.M) : elementsOf(value);
  return { N: String(members?.length ?? sizeOfValue(value)) };
}

function compares(
  comparator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (!left || !right) return comparator === '<>' && left !== right;
  if (comparator === '=') return isSame(left, right);
  if (comparator === '<>') return !isSame(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  if (comparator === '<') return order < 0;
  if (comparator === '<=') return order <= 0;
  return comparator === '>' ? order > 0 : order >= 0;
}

function call(
  name: FunctionName,
  [value, argument]: readonly (AttributeValue | undefined)[],
): boolean {
  if (name === 'attribute_exists') return value !== undefined;
  if (name === 'attribute_not_exists') return value === undefined;
  if (!value || !argument) return false;
  if (name === 'attribute_type') return typeOf(value) === argument.S;
  if (name === 'begins_with') {
    const [bytes, prefix] = [bytesOf(value), bytesOf(argument)];
    if (!bytes || !prefix || typeOf(value) !== typeOf(argument)) return false;
    return bytes.subarray(0, prefix.length).equals(prefix);
  }
  const elements = elementsOf(value);
  if (elements) return elements.some((element) => isSame(element, argument));
  const [bytes, part] = [bytesOf(value), bytesOf(argument)];
  return (
    bytes !== undefined &&
    part !== undefined &&
    typeOf(value) === typeOf(argument) &&
    bytes.includes(part)
  );
}

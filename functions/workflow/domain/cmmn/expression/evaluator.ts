import type { BinaryOperator, Node } from './ast.ts';
import { compare, isEmpty, isEqual, toBoolean, toNumber, toText } from './coercion.ts';
import { ExpressionError } from './expression-error.ts';
import type { Value } from './host-object.ts';
import type { ExpressionScope } from './scope.ts';
import { fitting } from './text-methods.ts';
import { callMethod, readMember } from './value-methods.ts';
import { VARIABLE_FUNCTIONS, VARIABLE_PREFIXES } from './variable-functions.ts';

/** Most nodes visited by one evaluation. */
const MAX_STEPS = 10_000;

interface Evaluation {
  readonly scope: ExpressionScope;
  steps: number;
}

/** Walks the tree of a parsed expression. @throws ExpressionError */
export function evaluateNode(node: Node, scope: ExpressionScope): Value {
  const run = { scope, steps: 0 };
  const value = evaluate(node, run);
  scope.spend?.(run.steps);
  return value;
}

function evaluate(node: Node, run: Evaluation): Value {
  if (++run.steps > MAX_STEPS) throw new ExpressionError(`more than ${MAX_STEPS} steps`);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'name':
      return readName(node.name, run.scope);
    case 'member':
      return readMember(evaluate(node.object, run), evaluate(node.key, run));
    case 'method':
      return callMethod(evaluate(node.object, run), node.name, evaluateAll(node.args, run));
    case 'function':
      return callFunction(node, run);
    case 'not':
      return !toBoolean(evaluate(node.operand, run));
    case 'negate':
      return 0 - toNumber(evaluate(node.operand, run));
    case 'empty':
      return isEmpty(evaluate(node.operand, run));
    case 'and':
      return toBoolean(evaluate(node.left, run)) && toBoolean(evaluate(node.right, run));
    case 'or':
      return toBoolean(evaluate(node.left, run)) || toBoolean(evaluate(node.right, run));
    case 'choice':
      return evaluate(toBoolean(evaluate(node.test, run)) ? node.yes : node.no, run);
    case 'binary':
      return applyOperator(node.operator, evaluate(node.left, run), evaluate(node.right, run));
    case 'text':
      return join(node.parts, run);
  }
}

const evaluateAll = (nodes: readonly Node[], run: Evaluation): Value[] =>
  nodes.map((node) => evaluate(node, run));

function readName(name: string, scope: ExpressionScope): Value {
  const value = scope.resolve(name);
  if (value === undefined) throw new ExpressionError(`unknown variable ${name}`);
  return value;
}

/** `var:get(x)` takes the unquoted name for the variable's name; other prefixes belong to the engine. */
function callFunction(node: Extract<Node, { kind: 'function' }>, run: Evaluation): Value {
  const { prefix, name, args } = node;
  const [first, ...others] = args;
  if (first && VARIABLE_PREFIXES.has(prefix) && Object.hasOwn(VARIABLE_FUNCTIONS, name)) {
    const variable = first.kind === 'name' ? first.name : toText(evaluate(first, run));
    const value = run.scope.variable(variable);
    return VARIABLE_FUNCTIONS[name]?.(value, ...evaluateAll(others, run));
  }
  const result = run.scope.call(prefix, name, evaluateAll(args, run));
  if (result === undefined) throw new ExpressionError(`unknown function ${prefix}:${name}`);
  return result;
}

function join(parts: readonly Node[], run: Evaluation): string {
  let text = '';
  for (const part of parts) {
    const piece = toText(evaluate(part, run));
    const before = text;
    text = fitting(before.length + piece.length, () => before + piece);
  }
  return text;
}

function applyOperator(operator: BinaryOperator, left: Value, right: Value): Value {
  switch (operator) {
    case '+':
      return finite(toNumber(left) + toNumber(right));
    case '-':
      return finite(toNumber(left) - toNumber(right));
    case '*':
      return finite(toNumber(left) * toNumber(right));
    case '/':
      return finite(toNumber(left) / toNumber(right));
    case 'mod':
      return finite(toNumber(left) % toNumber(right));
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    default:
      return isOrdered(operator, compare(left, right), isEqual(left, right));
  }
}

function isOrdered(
  operator: '<' | '>' | '<=' | '>=',
  order: number | undefined,
  equal: boolean,
): boolean {
  if (equal) return operator === '<=' || operator === '>=';
  if (order === undefined) return false;
  return operator === '<' || operator === '<=' ? order < 0 : order > 0;
}

/** JSON has no other numbers. @throws ExpressionError */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ExpressionError('division by zero, or too large a number');
  return value;
}

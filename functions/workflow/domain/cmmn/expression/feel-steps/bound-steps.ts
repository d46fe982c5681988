import type { parseExpression } from 'feelin';
import { callBound, isFunctionName, PATTERN_FUNCTIONS } from './call-bound.ts';
import {
  either,
  elementOf,
  entryOf,
  innerOf,
  listOf,
  type Shape,
  SMALL,
  shapeOf,
  textOf,
  timesOf,
  VALUE_SIZE,
} from './shape.ts';

/** Most steps that one evaluation may take, and most values and characters that it may build. */
export const MAX_FEEL_STEPS = 2_000_000;

/** The cost of the expression cannot be bounded, or is too high. */
class StepsError extends Error {
  override readonly name = 'StepsError';
}

type Tree = ReturnType<typeof parseExpression>;
type SyntaxNode = Tree['topNode'];

/** The names visible to a part of an expression, and how often it is evaluated. */
interface Scope {
  readonly names: ReadonlyMap<string, Shape>;
  /** Names that the expression itself gives to values. */
  readonly own: ReadonlySet<string>;
  /** A name may also mean an entry of the filtered element. */
  readonly other?: Shape;
  /** Names that are copied for every iteration. */
  readonly width: number;
  readonly times: number;
}

/**
 * The most steps that the interpreter takes, computed without running it: from the tree of the expression
 * and the size of what it works on. The interpreter itself counts nothing.
 * @throws StepsError when there can be more than `MAX_FEEL_STEPS`, or the result can be as large
 */
export function boundSteps(
  tree: Tree,
  text: string,
  variables: Readonly<Record<string, unknown>>,
): number {
  const names = new Map<string, Shape>();
  for (const [key, value] of Object.entries(variables)) {
    const name = plainName(key);
    const shape = shapeOf(value);
    names.set(name, either(names.get(name), shape) ?? shape);
  }
  const bound = new Bound(text);
  bound.shapeOf(tree.topNode, { names, own: new Set(), width: names.size, times: 1 });
  return bound.steps;
}

/** The letters and digits of a name: the interpreter treats names that differ only in other characters as equal. */
const plainName = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

/** Whether a node has a value; signs and keywords of the grammar have none. */
const isValue = ({ name }: SyntaxNode): boolean => /^[A-Z?]/.test(name) && !name.endsWith('Op');

/** Nodes that are a boolean; in the brackets of a filter they are evaluated for every element. */
const TESTS: ReadonlySet<string> = new Set([
  'Comparison',
  'Conjunction',
  'Disjunction',
  'QuantifiedExpression',
  'InstanceOfExpression',
]);

const SMALL_RESULTS: ReadonlySet<string> = new Set([...TESTS, 'ArithmeticExpression']);

class Bound {
  readonly #text: string;
  steps = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The shape of a node's value; its steps are added up. */
  shapeOf(node: SyntaxNode, scope: Scope): Shape {
    const shape = this.#visit(node, scope);
    this.#spend(1, scope);
    if (shape.size > MAX_FEEL_STEPS) throw tooMuch();
    return shape;
  }

  #spend(steps: number, { times }: Scope): void {
    this.steps += steps * times;
    if (!(this.steps <= MAX_FEEL_STEPS)) throw tooMuch();
  }

  #visit(node: SyntaxNode, scope: Scope): Shape {
    switch (node.name) {
      case 'StringLiteral':
        return textOf(node.to - node.from);
      case 'VariableName':
      case '?':
        return this.#name(node, scope);
      case 'PathExpression':
        return this.#path(node, scope);
      case 'FilterExpression':
        return this.#filter(node, scope);
      case 'ForExpression':
      case 'QuantifiedExpression':
        return this.#iteration(node, scope);
      case 'Context':
        return this.#context(node, scope);
      case 'FunctionInvocation':
      case 'DateTimeLiteral':
        return this.#call(node, scope);
      default:
        return this.#other(node, scope);
    }
  }

  #all(node: SyntaxNode, scope: Scope): Shape[] {
    return childrenOf(node)
      .filter(isValue)
      .map((child) => this.shapeOf(child, scope));
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#text.slice(from, to).replace(/\s+/g, ' ');
  }

  #name(node: SyntaxNode, scope: Scope): Shape {
    const text = this.#textOf(node);
    const found = scope.names.get(plainName(text));
    if (!found) this.#spend(scope.width, scope);
    if (!found && PATTERN_FUNCTIONS.has(text)) throw new StepsError(`${text}() is not supported`);
    const missing = { ...SMALL, isCallable: isFunctionName(text) };
    return either(found ?? missing, scope.other) ?? missing;
  }

  /** The interpreter warns of what a path does not find, and shows where. */
  #path(node: SyntaxNode, scope: Scope): Shape {
    const [target = SMALL] = this.#all(node, scope);
    this.#spend(target.size / VALUE_SIZE, scope);
    return entryOf(target);
  }

  #filter(node: SyntaxNode, scope: Scope): Shape {
    const [list, condition] = childrenOf(node).filter(isValue);
    const target = list ? this.shapeOf(list, scope) : SMALL;
    const item = elementOf(target);
    const width = scope.width + item.count + 1;
    this.#spend(target.count + target.count * width, scope);
    const inside = {
      ...this.#with('item', item, scope),
      other: either(scope.other, innerOf(item)),
      width,
      times: scope.times * target.count,
    };
    if (condition) this.shapeOf(condition, inside);
    if (condition?.name === 'NumericLiteral') return either(item, SMALL) ?? item;
    const some: Shape = target.kind === 'list' ? target : { ...timesOf(1, target), ...target };
    return TESTS.has(condition?.name ?? '') ? some : (either(target, item) ?? target);
  }

  #with(name: string, shape: Shape, scope: Scope): Scope {
    const names = new Map(scope.names).set(plainName(name), shape);
    return { ...scope, names, own: new Set(scope.own).add(plainName(name)) };
  }

  #iteration(node: SyntaxNode, scope: Scope): Shape {
    const [contexts, body] = childrenOf(node).filter(isValue);
    let inside = scope;
    let count = 1;
    for (const each of contexts ? childrenOf(contexts).filter(isValue) : []) {
      const [name, values] = childrenOf(each).filter(isValue);
      const list = values ? this.shapeOf(values, inside) : SMALL;
      count *= list.count;
      const named = this.#with(name ? this.#textOf(name) : '', elementOf(list), inside);
      inside = { ...named, width: inside.width + 1, times: scope.times * count };
      this.#spend(inside.width, inside);
    }
    const result = body ? this.shapeOf(body, inside) : SMALL;
    return node.name === 'ForExpression' ? timesOf(count, result) : SMALL;
  }

  /** Every entry sees those before it. */
  #context(node: SyntaxNode, scope: Scope): Shape {
    const entries = childrenOf(node).filter(isValue);
    let inside: Scope = { ...scope, width: scope.width + entries.length };
    this.#spend(inside.width, scope);
    const shapes = entries.map((entry) => {
      const [key, value] = childrenOf(entry).filter(isValue);
      const shape = value ? this.shapeOf(value, inside) : SMALL;
      const name = key ? this.#textOf(key) : '';
      inside = this.#with(name, shape, inside);
      return { ...shape, size: shape.size + name.length };
    });
    return { ...listOf(shapes), kind: 'one' };
  }

  /** A variable never holds a function; a name that the expression defines may. */
  #call(node: SyntaxNode, scope: Scope): Shape {
    const [callee, parameters] = childrenOf(node).filter(isValue);
    if (!parameters) return SMALL;
    const name = callee ? this.#textOf(callee) : '';
    if (PATTERN_FUNCTIONS.has(name)) throw new StepsError(`${name}() is not supported`);
    const isNamed = isFunctionName(name);
    if (callee && !isNamed) this.shapeOf(callee, scope);
    const isOwn = scope.own.has(plainName(name)) || scope.other?.isCallable;
    const args = this.#arguments(parameters, scope);
    const { result, steps } = callBound(isNamed && !isOwn ? name : undefined, args);
    this.#spend(steps, scope);
    return result;
  }

  #arguments(parameters: SyntaxNode, scope: Scope): Shape[] {
    if (parameters.name !== 'NamedParameters') return this.#all(parameters, scope);
    return childrenOf(parameters).flatMap((parameter) =>
      childrenOf(parameter)
        .filter((child) => isValue(child) && child.name !== 'ParameterName')
        .map((child) => this.shapeOf(child, scope)),
    );
  }

  /** Texts are added, but not multiplied. */
  #isSum(node: SyntaxNode): boolean {
    const operator = childrenOf(node).find(({ name }) => name === 'ArithOp');
    return operator !== undefined && this.#textOf(operator) === '+';
  }

  /** Operators look at what they compare or add, and a warning shows it; the rest hands it on. */
  #other(node: SyntaxNode, scope: Scope): Shape {
    if (node.name === 'Interval') return { ...SMALL, count: Number.POSITIVE_INFINITY };
    const operands = this.#all(node, scope);
    const whole = listOf(operands);
    if (node.name === 'List') return whole;
    const isSum = this.#isSum(node);
    if (!isSum && !SMALL_RESULTS.has(node.name)) {
      return operands.reduce<Shape | undefined>(either, undefined) ?? SMALL;
    }
    this.#spend(whole.size / VALUE_SIZE, scope);
    return isSum ? textOf(whole.size) : SMALL;
  }
}

const tooMuch = (): StepsError =>
  new StepsError(`this could take more than ${MAX_FEEL_STEPS} steps: it iterates over too much`);

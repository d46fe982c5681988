import type { ProblemElement, Report } from '../basics/problem.ts';
import type { Node } from '../expression/ast.ts';
import { constantText, type Expression, parseExpression } from '../expression/expression.ts';
import { ExpressionSyntaxError } from '../expression/expression-error.ts';
import { propertyRead, QUERY_METHODS, rootObject } from '../expression/known-names.ts';
import { MAX_EXPRESSION_LENGTH } from '../expression/parser.ts';
import { isValueMethod } from '../expression/value-methods.ts';
import { VARIABLE_FUNCTIONS, VARIABLE_PREFIXES } from '../expression/variable-functions.ts';
import type { CaseOutline } from './case-outline.ts';

const CMMN_FUNCTIONS = ['isStageCompletable', 'isPlanItemCompleted'];
/** Names that mean something to the language that runs the engine: never variables of a case. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

/** Every expression of a case is parsed, and what it calls must be something the engine has. */
export function checkExpressions({ definition }: CaseOutline, report: Report): void {
  visit(definition.planModel, undefined, report);
}

/** Walks the compiled model: whatever has a text and a language is an expression. */
function visit(value: unknown, owner: ProblemElement | undefined, report: Report): void {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const element of value) visit(element, owner, report);
    return;
  }
  if ('text' in value && 'language' in value) {
    checkExpression(value as Expression, owner, report);
    return;
  }
  const here = 'id' in value ? describe(value) : owner;
  if ('definitionRef' in value && 'name' in value && typeof value.name === 'string') {
    checkExpression({ text: value.name, language: 'juel' }, here, report);
  }
  for (const member of Object.values(value)) {
    if (typeof member === 'object') visit(member, here, report);
  }
}

const describe = (value: object): ProblemElement => {
  const { id, type, name, definitionRef } = value as ProblemElement & { definitionRef?: string };
  return { id, type: type ?? (definitionRef === undefined ? undefined : 'planItem'), name };
};

function checkExpression(
  expression: Expression,
  owner: ProblemElement | undefined,
  report: Report,
): void {
  const isConstant = constantText(expression) !== undefined;
  if (isConstant && expression.text.length <= MAX_EXPRESSION_LENGTH) return;
  try {
    const parsed = parseExpression(expression);
    if (parsed.language === 'juel') checkNode(parsed.node, expression, owner, report);
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    const where = `at character ${error.position + 1} of "${expression.text.slice(0, 80)}"`;
    report.add('EXPRESSION_SYNTAX', `${error.message}, ${where}.`, owner);
  }
}

function checkNode(
  node: Node,
  expression: Expression,
  owner: ProblemElement | undefined,
  report: Report,
): void {
  const refuse = (
    code: `EXPRESSION_UNSUPPORTED_${'ROOT' | 'FUNCTION' | 'METHOD'}`,
    what: string,
  ): void => report.add(code, `${what} is not supported, in "${expression.text}".`, owner);
  if (node.kind === 'name' && FORBIDDEN.includes(node.name)) {
    refuse('EXPRESSION_UNSUPPORTED_ROOT', node.name);
  }
  if (node.kind === 'function' && !isFunction(node.prefix, node.name)) {
    refuse('EXPRESSION_UNSUPPORTED_FUNCTION', `${node.prefix && `${node.prefix}:`}${node.name}()`);
  }
  if (node.kind === 'method' && !isMethod(node.object, node.name)) {
    refuse('EXPRESSION_UNSUPPORTED_METHOD', `.${node.name}()`);
  }
  if (isConstantMember(node) && !isMember(node)) {
    refuse('EXPRESSION_UNSUPPORTED_METHOD', `.${node.key.value}`);
  }
  for (const child of partsOf(node)) checkNode(child, expression, owner, report);
}

type ConstantMember = Extract<Node, { kind: 'member' }> & {
  readonly key: { kind: 'literal'; value: string };
};

const isConstantMember = (node: Node): node is ConstantMember =>
  node.kind === 'member' && node.key.kind === 'literal' && typeof node.key.value === 'string';

/** A property of a root object, or any of a value but those that the language below has. */
function isMember({ object, key }: ConstantMember): boolean {
  if (FORBIDDEN.includes(key.value)) return false;
  const root = object.kind === 'name' ? rootObject(object.name) : undefined;
  return root === undefined || root.properties.includes(key.value);
}

function isFunction(prefix: string, name: string): boolean {
  if (VARIABLE_PREFIXES.has(prefix)) return Object.hasOwn(VARIABLE_FUNCTIONS, name);
  if (prefix === 'cmmn') return CMMN_FUNCTIONS.includes(name);
  return prefix === '' && name === 'now';
}

/** A method of a root object, of the query of plan items, or of some value. */
function isMethod(object: Node, name: string): boolean {
  if (isQuery(object)) return QUERY_METHODS.has(name);
  const root = object.kind === 'name' ? rootObject(object.name) : undefined;
  if (!root) return isValueMethod(name);
  return root.methods.includes(name) || root.properties.includes(propertyRead(name) ?? '');
}

function isQuery(node: Node): boolean {
  if (node.kind === 'method') return isQuery(node.object);
  return node.kind === 'name' && node.name === 'planItemInstances';
}

function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'member':
      return [node.object, node.key];
    case 'method':
      return [node.object, ...node.args];
    case 'function':
      return node.args;
    case 'not':
    case 'negate':
    case 'empty':
      return [node.operand];
    case 'binary':
    case 'and':
    case 'or':
      return [node.left, node.right];
    case 'choice':
      return [node.test, node.yes, node.no];
    case 'text':
      return node.parts;
    default:
      return [];
  }
}

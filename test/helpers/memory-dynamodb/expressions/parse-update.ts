import type { AttributeValue } from '../attribute-value.ts';
import { invalid } from '../errors.ts';
import { checkNoOverlap, type Path, parsePath } from './path.ts';
import type { Scope } from './scope.ts';
import { TokenReader } from './tokens.ts';

/** What a SET clause assigns. */
export type UpdateOperand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | { readonly kind: 'if_not_exists'; readonly path: Path; readonly otherwise: UpdateOperand }
  | { readonly kind: 'list_append'; readonly operands: readonly [UpdateOperand, UpdateOperand] }
  | { readonly kind: 'plus' | 'minus'; readonly operands: readonly [UpdateOperand, UpdateOperand] };

/** One action of an update. */
export type UpdateAction =
  | { readonly kind: 'set'; readonly path: Path; readonly operand: UpdateOperand }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add' | 'delete'; readonly path: Path; readonly value: AttributeValue };

const PARAMETER = 'UpdateExpression';
const CLAUSES = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

/** Parses an update expression; every action names a place of its own. */
export function parseUpdate(expression: string, scope: Scope): readonly UpdateAction[] {
  const reader = new TokenReader(expression, PARAMETER);
  const actions: UpdateAction[] = [];
  const seen = new Set<string>();
  while (reader.peek().kind !== 'end') {
    const clause = CLAUSES.find((name) => reader.accept(name));
    if (!clause) throw reader.syntaxError();
    if (seen.has(clause)) {
      throw invalid(
        `Invalid ${PARAMETER}: The "${clause}" section can only be used once in an update expression;`,
      );
    }
    seen.add(clause);
    do actions.push(parseAction(clause, reader, scope));
    while (reader.accept(','));
  }
  checkNoOverlap(
    actions.map(({ path }) => path),
    PARAMETER,
  );
  return actions;
}

function parseAction(
  clause: (typeof CLAUSES)[number],
  reader: TokenReader,
  scope: Scope,
): UpdateAction {
  const path = parsePath(reader, scope);
  if (clause === 'REMOVE') return { kind: 'remove', path };
  if (clause === 'SET') {
    reader.expect('=');
    return { kind: 'set', path, operand: parseSum(reader, scope) };
  }
  const { kind, text } = reader.take();
  if (kind !== 'value') throw reader.syntaxError();
  const value = scope.value(text, PARAMETER);
  const isSet = value.SS ?? value.NS ?? value.BS;
  if (!isSet && (clause === 'DELETE' || value.N === undefined)) {
    throw invalid(
      `Invalid ${PARAMETER}: Incorrect operand type for operator or function; operator: ${clause}`,
    );
  }
  return { kind: clause === 'ADD' ? 'add' : 'delete', path, value };
}

function parseSum(reader: TokenReader, scope: Scope): UpdateOperand {
  const left = parseOperand(reader, scope);
  if (reader.accept('+')) return { kind: 'plus', operands: [left, parseOperand(reader, scope)] };
  if (reader.accept('-')) return { kind: 'minus', operands: [left, parseOperand(reader, scope)] };
  return left;
}

function parseOperand(reader: TokenReader, scope: Scope): UpdateOperand {
  const { kind, text } = reader.peek();
  if (kind === 'value') {
    reader.take();
    return { kind: 'value', value: scope.value(text, PARAMETER) };
  }
  if (kind === 'symbol' && reader.accept('(')) {
    const inner = parseSum(reader, scope);
    reader.expect(')');
    return inner;
  }
  if (kind === 'word' && reader.peek(1).text === '(') return parseCall(reader, scope);
  return { kind: 'path', path: parsePath(reader, scope) };
}

function parseCall(reader: TokenReader, scope: Scope): UpdateOperand {
  const name = reader.take().text;
  reader.expect('(');
  if (name === 'if_not_exists') {
    const path = parsePath(reader, scope);
    reader.expect(',');
    const otherwise = parseOperand(reader, scope);
    reader.expect(')');
    return { kind: 'if_not_exists', path, otherwise };
  }
  if (name !== 'list_append') {
    throw invalid(`Invalid ${PARAMETER}: Invalid function name; function: ${name}`);
  }
  const first = parseOperand(reader, scope);
  reader.expect(',');
  const second = parseOperand(reader, scope);
  reader.expect(')');
  return { kind: 'list_append', operands: [first, second] };
}

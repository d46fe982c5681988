// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as text are what is tested
import { describe, expect, it } from 'vitest';
import {
  compileExpression,
  type MessageExpression,
} from '../../../shared/messaging/consuming/expression.ts';
import type { Message } from '../../../shared/messaging/wire/event-publisher.ts';

const message: Message = {
  messageId: 'm-1',
  topic: 'order.placed',
  key: 'A-1',
  payload: { id: 7, lines: [{ sku: 'x' }], ok: false, empty: ' ', nothing: null, deep: { a: {} } },
  headers: { 'x-request': 'r-1' },
  source: '/svc/shop',
};

describe('an expression', () => {
  it.each<[MessageExpression, string | undefined]>([
    ['$.messageId', 'm-1'],
    ['$.payload.id', '7'],
    ['$.payload.ok', 'false'],
    ['$.payload.lines[0].sku', 'x'],
    ["$.headers['x-request']", 'r-1'],
    ['$.headers.x-request', 'r-1'],
    ['${topic}:${payload.id}', 'order.placed:7'],
    ['${ key }', 'A-1'],
    [({ key }) => key ?? undefined, 'A-1'],
    [() => '', undefined],
    ['$.payload.empty', undefined],
    ['$.payload.nothing', undefined],
    ['$.payload.deep.a', undefined],
    ['$.payload.missing.more', undefined],
    ['$.payload.constructor.name', undefined],
    ['${topic}:${payload.missing}', undefined],
  ])('%s finds %s', (expression, found) => {
    expect(compileExpression(expression)(message)).toBe(found);
  });

  it.each(['payload.id', '$.', '$.payload..id', '${}', '$.payload[x]'])('%s is refused', (text) => {
    expect(() => compileExpression(text as MessageExpression)).toThrow('MQ_EXPRESSION_INVALID');
  });
});

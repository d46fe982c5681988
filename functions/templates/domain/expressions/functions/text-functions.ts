import { inLetterCase, type LetterCase } from '../../formats/letter-case.ts';
import { Decimal } from '../../values/decimal.ts';
import { MAX_VALUE_LENGTH } from '../../values/plain-text.ts';
import { elementsOf, isList, type Value } from '../basics/value.ts';
import { type Call, type ExpressionFunction, textFrom, wholeFrom, wrongArgument } from './call.ts';

const MANY = Number.POSITIVE_INFINITY;

const inCase = (letterCase: LetterCase): ExpressionFunction => ({
  count: [1, 1],
  run: ([value], call) => inLetterCase(textFrom(value, call), letterCase, call.settings.locale),
});

/** Characters as people count them: a letter outside of the basic plane is one. */
const characters = (text: string): string[] => [...text];

function substring(args: readonly Value[], call: Call): string {
  const bounds = [0, MAX_VALUE_LENGTH] as const;
  const start = wholeFrom(args[1], call, bounds);
  const count = args[2] === undefined ? MAX_VALUE_LENGTH : wholeFrom(args[2], call, bounds);
  return characters(textFrom(args[0], call))
    .slice(start, start + count)
    .join('');
}

function replace(args: readonly Value[], call: Call): string {
  const [text = '', search = '', by = ''] = args.map((value) => textFrom(value, call));
  if (search === '') return text;
  const pieces = text.split(search);
  if (text.length + (pieces.length - 1) * by.length > 2 * MAX_VALUE_LENGTH) {
    throw wrongArgument(call.position, 'makes a text that is too long');
  }
  return pieces.join(by);
}

function join(args: readonly Value[], call: Call): string {
  const separator = args[1] === undefined ? ', ' : textFrom(args[1], call);
  return elementsOf(args[0] ?? null, call.position)
    .map((element) => textFrom(element, call))
    .filter((text) => text !== '')
    .join(separator.slice(0, 100));
}

const length: ExpressionFunction['run'] = ([value = null], call) =>
  new Decimal(isList(value) ? value.length : characters(textFrom(value, call)).length);

export const textFunctions: Readonly<Record<string, ExpressionFunction>> = {
  concat: {
    count: [1, MANY],
    run: (args, call) => args.map((value) => textFrom(value, call)).join(''),
  },
  upper: inCase('upper'),
  lower: inCase('lower'),
  title: inCase('caps'),
  trim: { count: [1, 1], run: ([value], call) => textFrom(value, call).trim() },
  substring: { count: [2, 3], run: substring },
  replace: { count: [3, 3], run: replace },
  length: { count: [1, 1], run: length },
  join: { count: [1, 2], run: join },
};

import BigJs from 'big.js';
import { Decimal } from '../../values/decimal.ts';
import { elementsOf, numberOf, type Value } from '../basics/value.ts';
import { type Call, type ExpressionFunction, wholeFrom } from './call.ts';

const MANY = Number.POSITIVE_INFINITY;
const MOST_PLACES = 40;

/** A function of one number; of nothing it makes nothing. */
const ofNumber = (compute: (number: Decimal) => Decimal): ExpressionFunction => ({
  count: [1, 1],
  run: ([value = null], { position }) =>
    value === null ? null : compute(numberOf(value, position)),
});

function round([value = null, places]: readonly Value[], call: Call): Value {
  if (value === null) return null;
  const kept = places === undefined ? 0 : wholeFrom(places, call, [-MOST_PLACES, MOST_PLACES]);
  return numberOf(value, call.position).round(kept, Decimal.roundHalfUp);
}

/** Rounds towards the smaller number, or towards the greater one. */
const downward = (number: Decimal): Decimal =>
  number.round(0, number.lt(0) ? BigJs.roundUp : BigJs.roundDown);
const upward = (number: Decimal): Decimal =>
  number.round(0, number.lt(0) ? BigJs.roundDown : BigJs.roundUp);

/** The numbers of all arguments and of the lists among them; what is absent does not count. */
function numbersOf(args: readonly Value[], { position }: Call): Decimal[] {
  return args
    .flatMap((value) => elementsOf(value, position))
    .filter((value) => value !== null && value !== '')
    .map((value) => numberOf(value, position));
}

const total = (numbers: readonly Decimal[]): Decimal =>
  numbers.reduce((sum, number) => sum.plus(number), new Decimal(0));

const extreme = (isBetter: (one: Decimal, other: Decimal) => boolean): ExpressionFunction => ({
  count: [1, MANY],
  run: (args, call) => {
    const numbers = numbersOf(args, call);
    return numbers.length === 0
      ? null
      : numbers.reduce((best, number) => (isBetter(number, best) ? number : best));
  },
});

function average(args: readonly Value[], call: Call): Value {
  const numbers = numbersOf(args, call);
  return numbers.length === 0 ? null : total(numbers).div(numbers.length);
}

function count([value = null]: readonly Value[], { position }: Call): Value {
  const present = elementsOf(value, position).filter((element) => element !== null);
  return new Decimal(present.length);
}

export const numberFunctions: Readonly<Record<string, ExpressionFunction>> = {
  round: { count: [1, 2], run: round },
  floor: ofNumber(downward),
  ceil: ofNumber(upward),
  abs: ofNumber((number) => number.abs()),
  min: extreme((one, other) => one.lt(other)),
  max: extreme((one, other) => one.gt(other)),
  sum: { count: [1, MANY], run: (args, call) => total(numbersOf(args, call)) },
  avg: { count: [1, MANY], run: average },
  count: { count: [1, 1], run: count },
};

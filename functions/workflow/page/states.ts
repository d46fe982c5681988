import type { ItemProgress, ModelItem } from './model.ts';

interface ShownState {
  readonly className: string;
  /** Shown beside the colour. */
  readonly sign: string;
  readonly name: string;
}

const NOT_REACHED: ShownState = { className: 's-none', sign: '', name: 'not reached' };

/** States in order of attention: of several instances the first in this order decides. */
const STATES: readonly (readonly [state: string, sign: string])[] = [
  ['failed', '!'],
  ['active', '\u25b6'],
  ['enabled', '\u25b7'],
  ['suspended', '\u2016'],
  ['available', '\u25cb'],
  ['disabled', '\u2013'],
  ['completed', '\u2713'],
  ['wait_repetition', '\u21bb'],
  ['unavailable', '\u2013'],
  ['terminated', '\u2715'],
];

/** The state that a plan item is shown in. */
export function stateOf(progress: Pick<ItemProgress, 'states'> | undefined): ShownState {
  const states = progress?.states ?? {};
  const found = STATES.find(([state]) => (states[state] ?? 0) > 0);
  if (!found) return NOT_REACHED;
  const [name, sign] = found;
  const count = Object.values(states).reduce((sum, each) => sum + each, 0);
  return {
    name: name.replace('_', ' '),
    className: `s-${name.replace('_', '-')}`,
    sign: count > 1 ? `${count}\u00d7 ${sign}` : sign,
  };
}

/** A plan item in words, for whoever does not see its shape and colour. */
export function describeItem(item: ModelItem, progress: ItemProgress | undefined): string {
  return `${item.name || item.id}, ${typeInWords(item.type)}, ${stateOf(progress).name}`;
}

/** `humanTask` as human task. */
export const typeInWords = (type: string): string =>
  type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

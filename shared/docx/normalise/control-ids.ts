import { propertyOf } from '../scan/control-facts.ts';
import type { Control, PartScan } from '../scan/part-model.ts';

/** Numbers of new controls begin here, above those that people give by hand; a control's number is an int32. */
const FIRST = 1_000_000_001;
const INTEGER = /^-?\d{1,10}$/;

/** The numbers of the controls of a file: each has one of its own. */
export class ControlIds {
  /** The first control of each number. */
  readonly #owners = new Map<number, Control>();
  #next = FIRST;

  constructor(scans: readonly PartScan[]) {
    const all = scans.flatMap(({ controls }) =>
      controls.toSorted((a, b) => a.element.start - b.element.start),
    );
    for (const control of all) {
      const id = idOf(control);
      if (id !== undefined && !this.#owners.has(id)) this.#owners.set(id, control);
    }
  }

  isOwn(control: Control): boolean {
    const id = idOf(control);
    return id !== undefined && this.#owners.get(id) === control;
  }

  /** The number of a control that is replaced, if it has one of its own, else a new one. */
  idFor(replaced: Control | undefined): number {
    if (replaced && this.isOwn(replaced)) return idOf(replaced) ?? FIRST;
    while (this.#owners.has(this.#next)) this.#next += 1;
    this.#next += 1;
    return this.#next - 1;
  }
}

function idOf(control: Control): number | undefined {
  const value = propertyOf(control, 'w:id') ?? '';
  const id = Number(value);
  return INTEGER.test(value) && id === (id | 0) ? id : undefined;
}

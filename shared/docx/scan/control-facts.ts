import { isFieldTag } from '../markers/names.ts';
import { PLAIN_CONTROLS } from './elements.ts';
import type { Control, Span } from './part-model.ts';

export const propertyOf = (control: Control, property: string): string | undefined =>
  control.properties.find(({ name }) => name === property)?.value;

export const hasProperty = (control: Control, property: string): boolean =>
  control.properties.some(({ name }) => name === property);

/** Whether a control holds text and nothing else: no control may stand in it. */
export const isPlain = (control: Control): boolean =>
  control.properties.some(({ name }) => PLAIN_CONTROLS.has(name));

/** The stretch of the text of its paragraph that a control holds. */
export const textOf = ({ textStart: start, textEnd: end }: Control): Span => ({ start, end });

/** Whether a control is one of a field by its tag. */
export const isFieldControl = (control: Control): boolean =>
  isFieldTag(propertyOf(control, 'w:tag') ?? '');

/** A control of a field in which there is more than the field is none: it is taken away. */
const isOfField = (control: Control): boolean =>
  control.paragraph !== undefined && isFieldControl(control);

/** The control, or the one around it, in which no other one may stand. */
export function plainAround(control: Control | undefined): Control | undefined {
  for (let around = control; around; around = around.outer)
    if (isPlain(around) && !isOfField(around)) return around;
  return undefined;
}

import { plainAround } from './control-facts.ts';
import { CONTROL_PARENTS } from './elements.ts';
import type { Control, FoundMarker, OpenElement, WordField } from './part-model.ts';

/** Whether a marker is a control, or can be replaced by one where it stands. */
export function isWrapped(marker: FoundMarker): boolean {
  const { place, valid, nested } = marker;
  if (!valid || nested) return false;
  if (place.form === 'control') return true;
  if (plainAround(marker.control)) return adoptable(marker) !== undefined;
  if (place.form === 'field') return isReplaceable(place.field) && fitsInText(marker.switches);
  return place.pieces.every(({ run }) => mayHoldControl(run.parent));
}

/** The plain control around a text marker whose whole content the marker is: it becomes the control of the field. */
export function adoptable(marker: FoundMarker): Control | undefined {
  const { place, paragraph } = marker;
  const control = plainAround(marker.control);
  const [first, last] = place.form === 'text' ? [place.pieces[0], place.pieces.at(-1)] : [];
  if (control !== marker.control || control?.paragraph !== paragraph) return undefined;
  if (place.form !== 'text' || !first || !last) return undefined;
  const { text } = paragraph;
  const before = text.slice(control.textStart, first.at + place.from);
  const after = text.slice(last.at + place.to, control.textEnd);
  return before.trim() === '' && after.trim() === '' ? control : undefined;
}

/** Whether all runs of a text marker have the same parent: else its text is put together first. */
export const isTogether = ({ place }: FoundMarker): boolean =>
  place.form !== 'text' ||
  place.pieces.every(({ run }) => run.parent === place.pieces[0]?.run.parent);

/** A complex field goes from one place to another of the same element, or of a later paragraph beside. */
function isReplaceable({ begin, endMark, parent }: WordField): boolean {
  if (!mayHoldControl(parent)) return false;
  if (!begin) return true;
  const end = endMark?.run.parent;
  if (end === undefined) return false;
  return (
    end === parent || (isParagraph(parent) && isParagraph(end) && end.parent === parent.parent)
  );
}

const isParagraph = ({ name }: OpenElement): boolean => name === 'w:p';
const mayHoldControl = ({ name }: OpenElement): boolean => CONTROL_PARENTS.has(name);

/** Switches are kept in the text of the control. */
const fitsInText = (switches: string | undefined): boolean => !/[{}]/.test(switches ?? '');

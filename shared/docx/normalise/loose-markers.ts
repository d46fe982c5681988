import { isFieldControl } from '../scan/control-facts.ts';
import type { Control, FoundMarker, PartScan } from '../scan/part-model.ts';

/** A part with the markers alone that are no controls of fields, and stand in none: what these show may be values. */
export const looseMarkers = (scan: PartScan): PartScan => ({
  ...scan,
  markers: scan.markers.filter(isLoose),
  overfull: [],
});

function isLoose({ place, control }: FoundMarker): boolean {
  if (place.form === 'control') return false;
  const pieces = place.form === 'text' ? place.pieces : [];
  return ![control, ...pieces.map((piece) => piece.control)].some(isInField);
}

function isInField(control: Control | undefined): boolean {
  for (let around = control; around; around = around.outer) if (isFieldControl(around)) return true;
  return false;
}

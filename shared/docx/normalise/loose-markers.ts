import { isFieldControl } from '../scan/control-facts.ts';
import type { Control, FoundMarker, PartScan } from '../scan/part-model.ts';

/** A part with the markers alone that are no controls of fields, and stand in none: what these show may be values. */
export const looseMarkers = (scan: PartScan): PartScan => ({
  ...scan,
  markers: scan.markers.filter(isLoose),
  overfull: [],
});

function isLoose({ place, control }: FoundMarker): boolean {
  if (place.form === 'control' || isInField(control)) return false;
  return place.form !== 'text' || !place.pieces.some((piece) => isInField(piece.control));
}

function isInField(control: Control | undefined): boolean {
  for (let around = control; around; around = around.outer) if (isFieldControl(around)) return true;
  return false;
}

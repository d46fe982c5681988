import type { Control, FoundMarker } from '../scan/part-model.ts';
import { adoptable } from '../scan/placing.ts';

/** The control that a marker is, or whose whole content it is. */
export const markedControl = (marker: FoundMarker): Control | undefined =>
  marker.place.form === 'control' ? marker.place.control : adoptable(marker);

import type { Control, PartScan } from '../scan/part-model.ts';
import type { Edit } from './cuts.ts';
import { markedControl } from './marked-control.ts';

/** By a binding Word would put other text in the place of a marker; as a placeholder it would vanish with the first key. */
const OVERRULING = /^w(?:15)?:dataBinding$|^w:showingPlcHdr$/;

/** Removes these settings from controls around markers; a control that is replaced has none anyway. */
export function controlSettings({ markers }: PartScan): Edit[] {
  const around = new Set<Control>();
  for (const marker of markers) {
    if (!marker.valid) continue;
    const own = markedControl(marker);
    for (let control = marker.control; control; control = control.outer)
      if (control !== own) around.add(control);
  }
  return [...around].flatMap(({ properties }) =>
    properties
      .filter(({ name }) => OVERRULING.test(name))
      .map(({ start, end }) => ({ start, end, text: '' })),
  );
}

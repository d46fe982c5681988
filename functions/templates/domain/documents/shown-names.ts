import { fieldKey } from '../fields/field.ts';
import type { FileVersion } from './template-file.ts';

type Content = Pick<FileVersion, 'found' | 'sections'>;

/** Names of the markers in a file, and of the parts that are repeated or shown by a value. */
export const namesIn = ({ found, sections = [] }: Content): string[] => [
  ...found.map(({ name }) => name),
  ...sections,
];

/** Whether a file shows a field, or the elements of a list. */
export function isShownIn(file: Content, name: string): boolean {
  const key = fieldKey(name);
  return namesIn(file)
    .map(fieldKey)
    .some((found) => found === key || found.startsWith(`${key}.`));
}

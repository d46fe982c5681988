import type { GenerationWarning } from '../domain/documents/generation.ts';
import type { FileVersion } from '../domain/documents/template-file.ts';
import { fieldKey, type MergeField } from '../domain/fields/field.ts';

const NUMBER = 'documentnumber';

/** Whether a name stands for the number of the document. */
export const isNumber = (name: string): boolean => fieldKey(name) === NUMBER;

/** Names of the markers in a file. */
export const namesIn = ({ found }: FileVersion): string[] => found.map(({ name }) => name);

/** Whether a document shows the company of the settings. */
export const showsCompany = (fields: readonly MergeField[], file: FileVersion): boolean =>
  /company/i.test(JSON.stringify([fields, namesIn(file)]));

/** Whether a document shows its number. */
export const usesNumber = (fields: readonly MergeField[], file: FileVersion): boolean =>
  namesIn(file).some(isNumber) ||
  fields.some(
    ({ sourceType, sourceRef, name, expression }) =>
      (sourceType === 'BUILTIN' && isNumber(sourceRef || name)) ||
      (expression ?? '').toLowerCase().includes(NUMBER),
  );

/** Tells of declared fields that neither the file nor an expression shows. */
export const unusedWarnings = (
  fields: readonly MergeField[],
  file: FileVersion,
): GenerationWarning[] => fields.filter((field) => isUnused(field, fields, file)).map(notInFile);

/** Whether neither the file nor an expression shows a field. */
function isUnused({ name }: MergeField, fields: readonly MergeField[], file: FileVersion): boolean {
  const key = fieldKey(name);
  return (
    !namesIn(file).some((found) => fieldKey(found) === key) &&
    !fields.some(({ expression }) => fieldKey(expression ?? '').includes(key))
  );
}

const notInFile = ({ name }: MergeField): GenerationWarning => ({
  code: 'FIELD_NOT_IN_FILE',
  field: name,
  message: 'The field is declared, and no marker of the file shows it.',
});

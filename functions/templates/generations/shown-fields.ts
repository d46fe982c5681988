import type { GenerationWarning } from '../domain/documents/generation.ts';
import { isShownIn, namesIn } from '../domain/documents/shown-names.ts';
import type { FileVersion } from '../domain/documents/template-file.ts';
import { ExpressionError } from '../domain/expressions/basics/expression-error.ts';
import { parseExpression } from '../domain/expressions/parse.ts';
import { fieldKey, type MergeField } from '../domain/fields/field.ts';

const NUMBER = 'documentnumber';

/** Whether a name stands for the number of the document. */
export const isNumber = (name: string): boolean => fieldKey(name) === NUMBER;

/** Paths of the values that a document shows or computes with. */
export const pathsIn = (fields: readonly MergeField[], file: FileVersion): string[] => [
  ...fields.flatMap(pathsOf),
  ...namesIn(file),
];

function pathsOf({ sourceType, sourceRef, name, expression }: MergeField): readonly string[] {
  return sourceType === 'COMPUTED' ? namesOf(expression ?? '') : [sourceRef || name];
}

/** Names in an expression; an unreadable one has none. */
function namesOf(expression: string): readonly string[] {
  try {
    return parseExpression(expression).references.map((path) => path.join('.'));
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}

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
    !isShownIn(file, name) &&
    !fields.some(({ expression }) => fieldKey(expression ?? '').includes(key))
  );
}

const notInFile = ({ name }: MergeField): GenerationWarning => ({
  code: 'FIELD_NOT_IN_FILE',
  field: name,
  message: 'The field is declared, and no marker of the file shows it.',
});

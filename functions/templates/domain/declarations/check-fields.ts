import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { fieldKey, type MergeField } from '../fields/field.ts';
import { DATA_TYPES } from '../formats/data-type.ts';
import { parseFieldFormat } from '../formats/field-format.ts';
import { isBuiltin } from '../sources/builtin-values.ts';
import { type ComputedOrder, fieldTable, orderComputed } from '../sources/computed-order.ts';
import { systemRefProblem } from '../sources/system-values.ts';

/** Most fields of a template. */
const MAX_FIELDS = 1_000;

/** A declaration as it comes in: with the source and the type that are understood, but refused. */
export type FieldDeclaration = Omit<MergeField, 'sourceType' | 'dataType'> & {
  readonly sourceType: MergeField['sourceType'] | 'API';
  readonly dataType: MergeField['dataType'] | 'HTML';
};

export interface FieldRules {
  /** Whether a text can be the name of a field; that of `shared/docx`. */
  readonly isName: (name: string) => boolean;
  /** Names of settings that templates may read besides those under `template.` */
  readonly allowedSettings: readonly string[];
  /** Constants of the tenant, by their codes. */
  readonly constants: ReadonlyMap<string, unknown>;
}

/**
 * What is wrong with the declared fields of a template, with pointers below `pointer` (`/fields/3/sourceRef`).
 * `API_SOURCE_NOT_SUPPORTED` and `DUPLICATE_FIELD` are among the codes.
 */
export function checkFields(
  fields: readonly FieldDeclaration[],
  rules: FieldRules,
  pointer = '/fields',
): readonly ProblemItem[] {
  if (fields.length > MAX_FIELDS) {
    return [{ pointer, code: 'TOO_MANY_FIELDS', detail: `may have at most ${MAX_FIELDS} fields` }];
  }
  const items = fields.flatMap((field, index) =>
    checkField(field, rules).map(({ member, ...item }) => ({
      pointer: `${pointer}/${index}/${member}`,
      ...item,
    })),
  );
  return [...items, ...duplicates(fields, pointer), ...checkExpressions(fields, pointer)];
}

interface Finding {
  readonly member: keyof MergeField;
  readonly code: string;
  readonly detail: string;
}

function checkField(field: FieldDeclaration, rules: FieldRules): Finding[] {
  const findings: (Finding | undefined)[] = [
    rules.isName(field.name) ? undefined : badName,
    checkSource(field, rules),
    ...checkType(field),
  ];
  return findings.filter((finding) => finding !== undefined);
}

const badName: Finding = {
  member: 'name',
  code: 'FIELD_NAME_INVALID',
  detail:
    'must be a letter or an underscore with letters, digits and underscores, joined by dots, hyphens or blanks',
};

function checkSource(field: FieldDeclaration, rules: FieldRules): Finding | undefined {
  const ref = field.sourceRef ?? '';
  const of = (code: string, detail: string): Finding => ({ member: 'sourceRef', code, detail });
  switch (field.sourceType) {
    case 'API':
      return {
        member: 'sourceType',
        code: 'API_SOURCE_NOT_SUPPORTED',
        detail: 'must not be API; use ENTITY, SYSTEM, COMPUTED or BUILTIN',
      };
    case 'SYSTEM': {
      if (ref === '')
        return of('SOURCE_REF_REQUIRED', 'is needed for a field of the source SYSTEM');
      const problem = systemRefProblem(ref, rules.allowedSettings);
      return problem === undefined ? undefined : of('SOURCE_REF_NOT_ALLOWED', problem);
    }
    case 'BUILTIN':
      if (isBuiltin(ref || field.name, rules.constants)) return undefined;
      return of('UNKNOWN_BUILTIN', 'must be the code of a builtin merge field');
    case 'COMPUTED':
      if (field.expression) return undefined;
      return {
        member: 'expression',
        code: 'EXPRESSION_REQUIRED',
        detail: 'is needed for a field of the source COMPUTED',
      };
    case 'ENTITY':
      return isPath(ref)
        ? undefined
        : of('SOURCE_REF_INVALID', 'must be a dotted path such as employee.fullName');
  }
}

const RESERVED = /(?:^|\.)(?:__proto__|prototype|constructor)(?:\.|$)/;
const isPath = (ref: string): boolean =>
  ref.length <= 200 && !/^\.|\.\.|\.$/.test(ref) && !RESERVED.test(ref);

function checkType({ dataType, format }: FieldDeclaration): (Finding | undefined)[] {
  if (dataType === 'HTML') {
    const detail = `must be one of ${DATA_TYPES.join(', ')}; values are text and never markup`;
    return [{ member: 'dataType', code: 'DATA_TYPE_NOT_SUPPORTED', detail }];
  }
  if (parseFieldFormat(format, dataType) !== undefined) return [];
  return [
    {
      member: 'format',
      code: 'FORMAT_INVALID',
      detail: `means nothing for a field of the type ${dataType}`,
    },
  ];
}

/** Of names that differ in case only the later ones are wrong. */
function duplicates(fields: readonly FieldDeclaration[], pointer: string): ProblemItem[] {
  const first = new Map<string, string>();
  return fields.flatMap(({ name }, index) => {
    const earlier = first.get(fieldKey(name));
    if (earlier === undefined) first.set(fieldKey(name), name);
    if (earlier === undefined) return [];
    const detail = earlier === name ? 'is declared twice' : `differs from ${earlier} in case only`;
    return [{ pointer: `${pointer}/${index}/name`, code: 'DUPLICATE_FIELD', detail }];
  });
}

function checkExpressions(fields: readonly FieldDeclaration[], pointer: string): ProblemItem[] {
  const computed = fields.filter(
    (field): field is FieldDeclaration & MergeField =>
      field.sourceType === 'COMPUTED' && field.dataType !== 'HTML' && Boolean(field.expression),
  );
  const { unreadable, circular }: ComputedOrder = orderComputed(fieldTable(computed));
  const at = (field: MergeField): string =>
    `${pointer}/${fields.findLastIndex(({ name }) => fieldKey(name) === fieldKey(field.name))}/expression`;
  return [
    ...unreadable.map(({ field, error }) => ({
      pointer: at(field),
      code: error.code,
      detail: `${error.message} (at character ${error.position})`,
    })),
    ...circular.map(({ field, path }) => ({
      pointer: at(field),
      code: 'CIRCULAR_REFERENCE',
      detail: `refers to itself: ${path.join(' -> ')}`,
    })),
  ];
}

import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem, type ProblemItem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition, RecordPolicy } from '../domain/entity/entity.ts';
import { isJsonObject, type JsonObject } from '../domain/entity/json.ts';
import { itemAt } from '../domain/entity/pointer.ts';
import { allOf } from '../domain/query/filter.ts';
import type { Moment } from '../domain/query/moments.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { storableErrors } from '../domain/schema/storable.ts';
import type { RecordGrant } from './record-grant.ts';

type Caller = Pick<Principal, 'id' | 'groups' | 'roles'>;

/** Most values that a filter of a policy may list; `$groups` stands for as many as the caller has. */
const MAX_OPERANDS = 100;
/** All policies of an entity together: each environment reads them again whenever it checks the definition. */
const MAX_BYTES = 65_536;
const USER = '$user';
const GROUPS = '$groups';

/**
 * What is left of a grant under the policies of the entity: they narrow what the host allows, and each other.
 * @returns `undefined` when one of them refuses the action
 */
export function underPolicies(
  model: EntityModel,
  grant: RecordGrant,
  caller: Caller,
  moment: Moment,
): RecordGrant | undefined {
  const { policies = [] } = model.definition.options;
  return policies
    .filter((policy) => policy.actions.includes(grant.action) && !isExempt(policy, caller))
    .reduce<RecordGrant | undefined>(
      (left, policy) => left && narrowed(model, left, policy, caller, moment),
      grant,
    );
}

function isExempt({ unless = {} }: RecordPolicy, { groups, roles }: Caller): boolean {
  const { groups: exemptGroups = [], roles: exemptRoles = [] } = unless;
  return (
    groups.some((group) => exemptGroups.includes(group)) ||
    roles.some((role) => exemptRoles.includes(role))
  );
}

function narrowed(
  model: EntityModel,
  grant: RecordGrant,
  { allowed, rowFilter, fields, presets }: RecordPolicy,
  caller: Caller,
  moment: Moment,
): RecordGrant | undefined {
  if (allowed === false) return undefined;
  const rows = rowFilter && resolved(rowFilter, caller);
  const own =
    rows &&
    parseFilterObject(rows, model, 'rowFilter', {
      moment,
      maxOperands: Math.max(MAX_OPERANDS, caller.groups.length),
    });
  const both = fields && new Set(fields.filter((field) => grant.fields?.has(field) ?? true));
  return {
    ...grant,
    filter: own ? allOf([grant.filter, own]) : grant.filter,
    ...(both && { fields: both }),
    // Presets of the host win over those of policies.
    ...(presets && { presets: { ...(forUser(presets, caller) as JsonObject), ...grant.presets } }),
  };
}

/** A filter with the id and the groups of a caller. */
function resolved(filter: JsonObject, caller: Caller): JsonObject {
  const more: JsonObject[] = [];
  const members = Object.entries(filter).flatMap(([name, operand]): [string, unknown][] => {
    if (name === 'not')
      return [[name, isJsonObject(operand) ? resolved(operand, caller) : operand]];
    if (Array.isArray(operand) && (name === 'and' || name === 'or')) {
      const parts = operand.map((part) => (isJsonObject(part) ? resolved(part, caller) : part));
      return [[name, parts]];
    }
    if (!isOfGroups(operand)) return [[name, forUser(operand, caller)]];
    more.push(ofGroups(name, caller.groups));
    return [];
  });
  const rest = Object.fromEntries(members);
  return more.length > 0 ? { and: [rest, ...more] } : rest;
}

/** `"$groups"`, `{"eq": "$groups"}` or `{"in": "$groups"}`. */
const isOfGroups = (operand: unknown): boolean =>
  operand === GROUPS ||
  (isJsonObject(operand) &&
    Object.keys(operand).length === 1 &&
    (operand.in === GROUPS || operand.eq === GROUPS));

function ofGroups(field: string, groups: readonly string[]): JsonObject {
  // No record has this id.
  if (groups.length === 0) return { id: { eq: 'none' } };
  return { [field]: { in: groups } };
}

function forUser(value: unknown, caller: Caller): unknown {
  if (value === USER) return caller.id;
  if (Array.isArray(value)) return value.map((each) => forUser(each, caller));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, forUser(each, caller)]),
  );
}

const SAMPLE: Caller = { id: 'somebody', groups: ['some'], roles: [] };

/** @throws Problem `VALIDATION_FAILED` (400) for policies that the fields of their entity do not fit */
export function checkPolicies(definition: EntityDefinition): void {
  const { policies = [] } = definition.options;
  if (policies.length === 0) return;
  if (Buffer.byteLength(JSON.stringify(policies)) > MAX_BYTES) {
    const detail = `must have at most ${MAX_BYTES} bytes`;
    throw httpProblems.validationFailed([itemAt('/options/policies', 'TOO_BIG', detail)]);
  }
  const model = new EntityModel(definition);
  const errors = policies.flatMap((policy, at) => errorsOf(model, policy, at));
  if (errors.length > 0) throw httpProblems.validationFailed(errors.slice(0, 50));
}

function errorsOf(model: EntityModel, policy: RecordPolicy, at: number): ProblemItem[] {
  const { actions, allowed, rowFilter, fields, presets } = policy;
  const item = (member: string, code: string, detail: string): ProblemItem =>
    itemAt(`/options/policies/${at}${member}`, code, detail);
  const named = [
    ...(fields ?? []).map((field, index) => ({ field, place: `/fields/${index}` })),
    ...Object.keys(presets ?? {}).map((field) => ({ field, place: `/presets/${field}` })),
  ];
  const unknown = named
    .filter(({ field }) => !model.field(field))
    .map(({ place, field }) =>
      item(place, 'UNKNOWN_FIELD', `${field} is not a field of ${model.code}`),
    );
  const isEmpty = allowed !== false && !rowFilter && !fields && !presets;
  return [
    ...unknown,
    ...storableErrors(presets ?? {}, `/options/policies/${at}/presets`),
    ...(isEmpty ? [item('', 'REQUIRED', 'must have a rowFilter, fields, presets or allowed')] : []),
    ...(presets && namesGroups(presets)
      ? [item('/presets', 'INVALID_VALUE', `names ${GROUPS}, which is no value of a field`)]
      : []),
    ...(presets && !actions.includes('add')
      ? [item('/presets', 'INVALID_VALUE', 'are those of new records: actions must include add')]
      : []),
    ...(rowFilter
      ? filterErrors(model, rowFilter, (...given) => item('/rowFilter', ...given))
      : []),
  ];
}

const namesGroups = (value: JsonObject): boolean => JSON.stringify(value).includes(`"${GROUPS}"`);

function filterErrors(
  model: EntityModel,
  rowFilter: JsonObject,
  item: (code: string, detail: string) => ProblemItem,
): ProblemItem[] {
  const sample = resolved(rowFilter, SAMPLE);
  if (namesGroups(sample)) {
    return [item('INVALID_VALUE', `compares with ${GROUPS} by another operator than eq and in`)];
  }
  try {
    parseFilterObject(sample, model, 'rowFilter', { moment: { ms: 0, zone: 'UTC' } });
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ code, detail }) => item(code, detail));
  }
}

import type { MergeField } from '../fields/field.ts';
import type { UserFacts } from './builtin-values.ts';

const USER = ['id', 'username', 'fullName', 'email', 'departmentName'] as const;
const TENANT = ['id', 'name'] as const;
const APP = ['name', 'url'] as const;
const SETTING = 'setting:';
/** Settings that no template reads, whatever is allowed. */
const SECRET = /^security(?:\.|$)/i;

/** What SYSTEM fields are filled with. */
export interface SystemFacts {
  readonly user: UserFacts;
  readonly tenant: { readonly id?: string | undefined; readonly name?: string | undefined };
  readonly app: { readonly name?: string | undefined; readonly url?: string | undefined };
  /** Values of the settings that `settingsOf` named. */
  readonly settings: ReadonlyMap<string, unknown>;
}

/**
 * Why a template may not read a system value; `undefined` when it may.
 * @param allowed names of settings that templates may read besides those under `template.`; `company.` stands for all below
 */
export function systemRefProblem(ref: string, allowed: readonly string[]): string | undefined {
  if (ref.startsWith(SETTING)) {
    const name = ref.slice(SETTING.length);
    return isAllowedSetting(name, allowed)
      ? undefined
      : 'names a setting that templates may not read';
  }
  const [group = '', name = '', ...more] = ref.split('.');
  const isKnown =
    more.length === 0 &&
    isOneOf(GROUPS, group) &&
    (GROUPS[group] as readonly string[]).includes(name);
  return isKnown ? undefined : `must be ${SETTING}<name>, ${describeGroups()}`;
}

const GROUPS = { user: USER, tenant: TENANT, app: APP } as const;

const isOneOf = (groups: typeof GROUPS, name: string): name is keyof typeof GROUPS =>
  Object.hasOwn(groups, name);

const describeGroups = (): string =>
  Object.entries(GROUPS)
    .flatMap(([group, names]) => names.map((name) => `${group}.${name}`))
    .join(', ');

function isAllowedSetting(name: string, allowed: readonly string[]): boolean {
  if (SECRET.test(name)) return false;
  return ['template.', ...allowed].some((rule) =>
    rule.endsWith('.') ? name.startsWith(rule) && name.length > rule.length : name === rule,
  );
}

/** The names of the settings that SYSTEM fields show, to be read before their values are resolved. */
export function settingsOf(
  fields: readonly MergeField[],
  allowed: readonly string[],
): readonly string[] {
  const names = fields
    .filter(({ sourceType }) => sourceType === 'SYSTEM')
    .flatMap(({ sourceRef }) => settingOf(sourceRef ?? '') ?? [])
    .filter((name) => isAllowedSetting(name, allowed));
  return [...new Set(names)];
}

const settingOf = (ref: string): string | undefined =>
  ref.startsWith(SETTING) ? ref.slice(SETTING.length) : undefined;

/** The value of a reference that may be read; `undefined` for any other. */
export function systemValue(ref: string, facts: SystemFacts, allowed: readonly string[]): unknown {
  if (systemRefProblem(ref, allowed) !== undefined) return undefined;
  const setting = settingOf(ref);
  if (setting !== undefined) return facts.settings.get(setting);
  const [group = '', name = ''] = ref.split('.');
  const values: Readonly<Record<string, object>> = {
    user: facts.user,
    tenant: facts.tenant,
    app: facts.app,
  };
  return Object.getOwnPropertyDescriptor(values[group] ?? {}, name)?.value;
}

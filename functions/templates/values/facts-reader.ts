import type { SettingService } from '../../../shared/ports/settings.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { Constant } from '../domain/documents/constant.ts';
import type { MergeField } from '../domain/fields/field.ts';
import type { BuiltinFacts, UserFacts } from '../domain/sources/builtin-values.ts';
import { type SystemFacts, settingsOf } from '../domain/sources/system-values.ts';

interface FactsReaderDependencies {
  readonly settings: SettingService;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly appUrl: () => string;
  /** Names of settings that templates may read besides those under `template.` */
  readonly allowedSettings: readonly string[];
}

/** Settings that name the company of builtin fields. */
const COMPANY = {
  name: 'template.company.name',
  address: 'template.company.address',
  taxCode: 'template.company.tax-code',
} as const;

/** Reads what SYSTEM and BUILTIN fields are made of: settings, the claims of the caller, the clock. */
export class FactsReader {
  readonly #deps: FactsReaderDependencies;

  constructor(dependencies: FactsReaderDependencies) {
    this.#deps = dependencies;
  }

  /** What builtin fields show. @param options.hasCompany whether the company of the settings is among it */
  async builtins(
    constants: readonly Constant[],
    principal: Principal,
    { hasCompany = true } = {},
  ): Promise<BuiltinFacts> {
    const { ids, clock } = this.#deps;
    return {
      ...{ nowMs: clock.now(), uuid: ids(), document: {} },
      user: userOf(principal),
      company: hasCompany ? await this.#company() : {},
      constants: new Map(constants.map(({ code, value }) => [code, value])),
    };
  }

  /** What SYSTEM fields show. */
  async system(fields: readonly MergeField[], principal: Principal): Promise<SystemFacts> {
    const { settings, allowedSettings, appUrl } = this.#deps;
    const names = settingsOf(fields, allowedSettings);
    const values = await Promise.all(names.map((name) => settings.getValue(name)));
    const { tenant, claims } = principal;
    const showsApp = fields.some(({ sourceRef }) => sourceRef === 'app.name');
    const appName = showsApp ? await settings.getValue('template.app.name') : undefined;
    return {
      user: userOf(principal),
      tenant: { id: tenant, name: textIn(claims, 'tenant_name', 'tenantName') },
      app: { name: appName, url: appUrl() },
      settings: new Map(names.map((name, at) => [name, values[at]])),
    };
  }

  async #company() {
    const { settings } = this.#deps;
    const [name, address, taxCode] = await Promise.all([
      settings.getValue(COMPANY.name),
      settings.getValue(COMPANY.address),
      settings.getValue(COMPANY.taxCode),
    ]);
    return { name, address, taxCode };
  }
}

/** The caller by the claims that OpenID Connect names, and by those that many issuers use for departments. */
const userOf = ({ id, username, claims }: Principal): UserFacts => ({
  ...{ id, username },
  fullName: textIn(claims, 'name', 'fullName', 'full_name'),
  email: textIn(claims, 'email'),
  departmentName: textIn(claims, 'departmentName', 'department_name', 'department'),
});

/** The first of the claims that is a text. */
function textIn(
  claims: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): string | undefined {
  const found = names.map((name) => claims[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' && found !== '' ? found : undefined;
}

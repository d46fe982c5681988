import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { Constant, ConstantFacts } from '../domain/documents/constant.ts';
import { requireSeen, type SeenVersion } from '../domain/documents/seen-version.ts';
import { fieldKey } from '../domain/fields/field.ts';
import { formatValue } from '../domain/formats/format-value.ts';
import type { FormatSettings } from '../domain/formats/locale-defaults.ts';
import {
  BUILTINS,
  type Builtin,
  type BuiltinCategory,
  builtinOf,
} from '../domain/sources/builtin-catalogue.ts';
import { builtinValues } from '../domain/sources/builtin-values.ts';
import { problems } from '../errors.ts';
import type { ConstantRepository } from '../store/constant-repository.ts';
import type { FactsReader } from '../values/facts-reader.ts';

/** A value that every template of the caller's tenant can show. */
export interface BuiltinField extends Omit<Builtin, 'category'> {
  readonly category: BuiltinCategory | 'CONSTANT';
  /** Whether it comes with the platform. */
  readonly system: boolean;
  readonly constant?: Constant;
}

/** Which of them a list has. */
export interface BuiltinListCall {
  readonly page?: number | undefined;
  readonly size: number;
  readonly category?: BuiltinField['category'] | undefined;
  /** Only codes and labels that contain this text, in any case. */
  readonly q?: string | undefined;
}

interface BuiltinServiceDependencies {
  readonly constants: ConstantRepository;
  readonly facts: FactsReader;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** Most constants of a tenant. */
const MAX_CONSTANTS = 500;

/** Values that every template can show: those of the platform, and constants of the tenant. */
export class BuiltinService {
  readonly #deps: BuiltinServiceDependencies;

  constructor(dependencies: BuiltinServiceDependencies) {
    this.#deps = dependencies;
  }

  async list({ page = 0, size, category, q }: BuiltinListCall, { tenant = '' }: Principal) {
    const constants = await this.#deps.constants.all(tenant);
    const all = [...BUILTINS.map(ofPlatform), ...constants.map(ofTenant)];
    const found = all.filter(
      (field) =>
        (category === undefined || field.category === category) &&
        (q === undefined || contains(field.code, q) || contains(field.label, q)),
    );
    const content = found.slice(page * size, (page + 1) * size);
    return { content, number: page, size, total: found.length };
  }

  /** @throws Problem `BUILTIN_NOT_FOUND` (404) */
  async get(code: string, principal: Pick<Principal, 'tenant'>): Promise<BuiltinField> {
    const builtin = builtinOf(code);
    return builtin ? ofPlatform(builtin) : ofTenant(await this.#constant(code, principal));
  }

  /** @throws Problem `BUILTIN_EXISTS`, `BUILTIN_IS_SYSTEM`, `TOO_MANY_CONSTANTS` (409) */
  async create(
    { code, ...facts }: ConstantFacts & { readonly code: string },
    principal: Principal,
  ): Promise<BuiltinField> {
    requireOwn(code);
    const { tenant = '' } = principal;
    const taken = () => problems.builtinExists({ code });
    return this.#deps.unitOfWork(async (unit) => {
      const others = await this.#deps.constants.all(tenant);
      if (others.some((other) => fieldKey(other.code) === fieldKey(code))) throw taken();
      if (others.length >= MAX_CONSTANTS) throw problems.tooManyConstants({ max: MAX_CONSTANTS });
      const made = { code, ...facts, ...this.#stamps(1, principal) };
      this.#deps.constants.stage(unit, tenant, made, taken);
      return ofTenant(made);
    });
  }

  /** @throws Problem `BUILTIN_NOT_FOUND` (404), `BUILTIN_IS_SYSTEM` (409), `VERSION_CONFLICT` (412) */
  async update(
    code: string,
    facts: ConstantFacts,
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<BuiltinField> {
    requireOwn(code);
    return this.#deps.unitOfWork(async (unit) => {
      const stored = await this.#constant(code, principal);
      requireSeen(stored.version, seen);
      const next = { ...stored, ...facts, ...this.#stamps(stored.version + 1, principal) };
      const { tenant = '' } = principal;
      this.#deps.constants.stage(unit, tenant, next, () => problems.builtinExists({ code }));
      return ofTenant(next);
    });
  }

  /** @throws Problem `BUILTIN_NOT_FOUND` (404), `BUILTIN_IS_SYSTEM` (409), `VERSION_CONFLICT` (412) */
  async delete(code: string, principal: Principal, seen: SeenVersion = {}): Promise<void> {
    requireOwn(code);
    await this.#deps.unitOfWork(async (unit) => {
      const stored = await this.#constant(code, principal);
      requireSeen(stored.version, seen);
      this.#deps.constants.stageGone(unit, principal.tenant ?? '', stored);
    });
  }

  /**
   * The texts of values as documents show them, by their codes; those of a document have none outside of one.
   * @throws Problem `BUILTIN_NOT_FOUND` (404)
   */
  async resolve(
    codes: readonly string[] | undefined,
    settings: FormatSettings,
    principal: Principal,
  ): Promise<Readonly<Record<string, string | null>>> {
    const { facts, constants: stored } = this.#deps;
    const constants = await stored.all(principal.tenant ?? '');
    const known = [...BUILTINS.map(ofPlatform), ...constants.map(ofTenant)];
    const byKey = new Map(known.map((field) => [fieldKey(field.code), field]));
    const wanted = codes?.map((code) => {
      const field = byKey.get(fieldKey(code));
      if (!field) throw problems.builtinNotFound({ code });
      return field;
    });
    const value = builtinValues(await facts.builtins(constants, principal), settings);
    return Object.fromEntries(
      (wanted ?? known).map((field) => [field.code, textOf(field, value(field.code), settings)]),
    );
  }

  async #constant(code: string, { tenant = '' }: Pick<Principal, 'tenant'>): Promise<Constant> {
    const constant = await this.#deps.constants.find(tenant, code);
    if (!constant) throw problems.builtinNotFound({ code });
    return constant;
  }

  #stamps(version: number, { id }: Principal) {
    return { version, updatedAt: toInstant(this.#deps.clock.now()), updatedBy: id };
  }
}

/** @throws Problem `BUILTIN_IS_SYSTEM` (409) */
function requireOwn(code: string): void {
  if (builtinOf(code)) throw problems.builtinIsSystem({ code });
}

const ofPlatform = (builtin: Builtin): BuiltinField => ({ ...builtin, system: true });

const ofTenant = (constant: Constant): BuiltinField => ({
  code: constant.code,
  label: constant.label,
  category: 'CONSTANT',
  dataType: constant.dataType,
  example: constant.value,
  defaultFormat: null,
  system: false,
  constant,
});

function textOf(
  { dataType, defaultFormat }: BuiltinField,
  value: unknown,
  settings: FormatSettings,
): string | null {
  if (value === undefined || value === null) return null;
  return formatValue(value, { dataType, format: defaultFormat }, null, settings).text;
}

const contains = (text: string, part: string): boolean =>
  text.toLowerCase().includes(part.toLowerCase());

import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { requireSeen, type SeenVersion } from '../domain/documents/seen-version.ts';
import {
  historyOfTemplate,
  TEMPLATE_STATUSES,
  type Template,
  type TemplateFacts,
  type TemplateStatus,
  type TemplateType,
} from '../domain/documents/template.ts';
import { problems } from '../errors.ts';
import type { EndedDocuments } from '../store/ended-documents.ts';
import type { TemplateRepository, TemplateRow } from '../store/template-repository.ts';

/** A template to be made. */
export interface NewTemplate extends TemplateFacts {
  readonly code: string;
}

/** Which templates a list has, and in which order. */
export interface TemplateListCall {
  readonly page?: number | undefined;
  readonly size: number;
  readonly code?: string | undefined;
  readonly type?: TemplateType | undefined;
  /** Default: `ACTIVE`. */
  readonly status?: TemplateStatus | undefined;
  /** Only codes and names that contain this text, in any case. */
  readonly q?: string | undefined;
  /** A member of a row, after `-` in descending order; default: `code`. */
  readonly sort?: string | undefined;
}

/** A page of templates. */
export interface TemplateList {
  readonly content: readonly Template[];
  readonly number: number;
  readonly size: number;
  /** Templates in all. */
  readonly total: number;
}

interface TemplateServiceDependencies {
  readonly repository: TemplateRepository;
  readonly endedDocuments: Pick<EndedDocuments, 'stage'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Templates of the caller's tenant; those of other tenants do not exist for it. */
export class TemplateCatalog {
  readonly #deps: TemplateServiceDependencies;

  constructor(dependencies: TemplateServiceDependencies) {
    this.#deps = dependencies;
  }

  async list(call: TemplateListCall, { tenant = '' }: Principal): Promise<TemplateList> {
    const { repository } = this.#deps;
    const { page = 0, size, sort = 'code' } = call;
    const rows = (await repository.rows(tenant)).filter((row) => fits(row, call));
    const shown = rows.toSorted(orderOf(sort)).slice(page * size, (page + 1) * size);
    const content = await repository.findAll(shown.map(({ id }) => id));
    return { content, number: page, size, total: rows.length };
  }

  /** @throws Problem `TEMPLATE_CODE_EXISTS` (409) */
  async create(facts: NewTemplate, principal: Principal): Promise<Template> {
    const template = this.drafted(facts, principal);
    return this.#deps.unitOfWork(async (unit) => {
      this.stageNew(unit, template);
      return template;
    });
  }

  /** A template that is not stored yet. */
  drafted({ code, ...facts }: NewTemplate, principal: Principal): Template {
    const { clock, ids } = this.#deps;
    const [at, by] = [toInstant(clock.now()), principal.id];
    return {
      ...{ id: ids(), tenant: principal.tenant ?? '', code, ...facts, status: 'ACTIVE' },
      ...{ version: 1, createdAt: at, createdBy: by, updatedAt: at, updatedBy: by },
    };
  }

  /** Looks ahead of what is written for a new template. @throws Problem `TEMPLATE_CODE_EXISTS` (409) */
  async requireFree(code: string, { tenant = '' }: Pick<Principal, 'tenant'>): Promise<void> {
    const taken = await this.#deps.repository.findId(tenant, code);
    if (taken !== undefined) throw problems.templateCodeExists({ code });
  }

  /** Stages a new template; at the commit its code must be free (`TEMPLATE_CODE_EXISTS`, 409). */
  stageNew(unit: UnitOfWork, template: Template): void {
    const { code } = template;
    this.#deps.repository.stageNew(unit, template, () => problems.templateCodeExists({ code }));
  }

  /** A template, deleted ones included. @throws Problem `TEMPLATE_NOT_FOUND` (404) */
  async get(id: string, { tenant = '' }: Pick<Principal, 'tenant'>): Promise<Template> {
    const template = await this.#deps.repository.find(tenant, id);
    if (!template) throw problems.templateNotFound({ template: id });
    return template;
  }

  /** @throws Problem `TEMPLATE_NOT_FOUND` (404) */
  async getByCode(code: string, principal: Pick<Principal, 'tenant'>): Promise<Template> {
    const id = await this.#deps.repository.findId(principal.tenant ?? '', code);
    if (id === undefined) throw problems.templateNotFound({ template: code });
    return this.get(id, principal);
  }

  /** @throws Problem `TEMPLATE_NOT_FOUND` (404), `TEMPLATE_DELETED` (409), `VERSION_CONFLICT` (412) */
  async update(
    id: string,
    facts: TemplateFacts,
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<Template> {
    return this.#deps.unitOfWork(async (unit) => {
      const {
        entityType: _entity,
        description: _text,
        numberPattern: _pattern,
        ...stored
      } = await this.get(id, principal);
      requireSeen(stored.version, seen);
      if (stored.status === 'DELETED') throw problems.templateDeleted({ id });
      const next = this.#advance({ ...stored, ...facts }, principal);
      this.#deps.repository.stage(unit, next);
      return next;
    });
  }

  /** Keeps the record and reserves its code; again: nothing. @throws Problem `TEMPLATE_NOT_FOUND` (404), `VERSION_CONFLICT` (412) */
  async delete(id: string, principal: Principal, seen: SeenVersion = {}): Promise<void> {
    await this.#deps.unitOfWork(async (unit) => {
      const stored = await this.get(id, principal);
      if (stored.status === 'DELETED') return;
      requireSeen(stored.version, seen);
      this.#deps.repository.stage(unit, this.#advance({ ...stored, status: 'DELETED' }, principal));
      this.#deps.endedDocuments.stage(unit, historyOfTemplate(id));
    });
  }

  /** Stages the next version of a template. */
  stageChange(unit: UnitOfWork, template: Template, principal: Pick<Principal, 'id'>): void {
    this.#deps.repository.stage(unit, this.#advance(template, principal));
  }

  #advance(template: Template, { id }: Pick<Principal, 'id'>): Template {
    return {
      ...template,
      version: template.version + 1,
      updatedAt: toInstant(this.#deps.clock.now()),
      updatedBy: id,
    };
  }
}

function fits(row: TemplateRow, { code, type, status, q }: TemplateListCall): boolean {
  return (
    row.status === (status ?? TEMPLATE_STATUSES[0]) &&
    (code === undefined || row.code === code) &&
    (type === undefined || row.type === type) &&
    (q === undefined || contains(row.code, q) || contains(row.name, q))
  );
}

const contains = (text: string, part: string): boolean =>
  text.toLowerCase().includes(part.toLowerCase());

/** Equal ones are in the order of their codes, which are unique. */
function orderOf(sort: string): (a: TemplateRow, b: TemplateRow) => number {
  const sign = sort.startsWith('-') ? -1 : 1;
  const name = sort.replace(/^-/, '') as keyof TemplateRow;
  return (a, b) => sign * compare(a[name], b[name]) || compare(a.code, b.code);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

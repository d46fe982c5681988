import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { Template } from '../domain/documents/template.ts';
import { codeKey, codesPartition, templateKey } from './template-keys.ts';

interface HeadItem extends Item {
  readonly template: Template;
}

/** What lists filter and sort templates by. */
export type TemplateRow = Pick<
  Template,
  'id' | 'code' | 'name' | 'type' | 'status' | 'createdAt' | 'updatedAt'
>;

interface CodeItem extends Item {
  readonly row: TemplateRow;
}

/** Stored templates. */
export class TemplateRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  /** A template of a tenant, deleted ones included. */
  async find(tenant: string, id: string): Promise<Template | undefined> {
    const item = await this.#table.get<HeadItem>(templateKey(id));
    return item?.template.tenant === tenant ? item.template : undefined;
  }

  /** A template of any tenant: for files, whose editor was opened by somebody who may. */
  async findAny(id: string): Promise<Template | undefined> {
    return (await this.#table.get<HeadItem>(templateKey(id)))?.template;
  }

  /** The id of the template that has a code, deleted ones included. */
  async findId(tenant: string, code: string): Promise<string | undefined> {
    return (await this.#table.get<CodeItem>(codeKey(tenant, code)))?.row.id;
  }

  /** Every template of a tenant by its code, deleted ones included. */
  async rows(tenant: string): Promise<readonly TemplateRow[]> {
    const items = await readAll<CodeItem>(this.#table, { partition: codesPartition(tenant) });
    return items.map(({ row }) => row);
  }

  /** Templates by their ids, in that order. */
  async findAll(ids: readonly string[]): Promise<readonly Template[]> {
    const items = await this.#table.getMany<HeadItem>(ids.map(templateKey));
    return items.map(({ template }) => template);
  }

  /** Stages a new template. @param codeTaken what is thrown when another one has its code */
  stageNew(unit: UnitOfWork, template: Template, codeTaken: () => Error): void {
    unit.put(codeItem(template), { condition: notExists, otherwise: codeTaken });
    unit.put(headItem(template), { condition: notExists, otherwise: 'retry' });
  }

  /** Stages the next version of a template; whoever has changed it meanwhile wins, and the unit runs again. */
  stage(unit: UnitOfWork, template: Template): void {
    unit.put(codeItem(template));
    unit.put(headItem(template), {
      condition: versionIs(template.version - 1),
      otherwise: 'retry',
    });
  }
}

const headItem = (template: Template) => ({
  ...templateKey(template.id),
  type: 'TEMPLATE',
  version: template.version,
  template,
});

function codeItem({ tenant, id, code, name, type, status, createdAt, updatedAt }: Template) {
  const row: TemplateRow = { id, code, name, type, status, createdAt, updatedAt };
  return { ...codeKey(tenant, code), type: 'TEMPLATE_CODE', row };
}

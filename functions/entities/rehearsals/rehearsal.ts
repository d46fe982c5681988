import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { isGranted, isNarrowed } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { Filter } from '../domain/query/filter.ts';
import { wantedClaims } from '../domain/records/index-rows.ts';
import type { ReferenceCheck, WritePlan } from '../domain/records/write-plan.ts';
import { isUuid } from '../domain/values/ids.ts';
import { problems } from '../errors.ts';
import {
  type Change,
  RecordDrafts,
  type RecordDraftsDependencies,
  type UpdateOptions,
} from '../records/record-drafts.ts';
import type { RecordWriter } from '../records/record-writer.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import { previewMove, previewPlace, type TreeReads } from '../trees/tree-moves.ts';
import { Overlay } from './overlay.ts';
import { StoredFacts, type StoredFactsDependencies } from './stored-facts.ts';

export interface RehearsalDependencies extends RecordDraftsDependencies, StoredFactsDependencies {
  readonly repository: Pick<RecordRepository, 'findHeader' | 'findHeaders' | 'treeRows'>;
  readonly writer: Pick<RecordWriter, 'preview'>;
  readonly access: EntityAccess;
  readonly cipher: FieldCipher;
}

/**
 * Stores nothing, and answers as if it did: each change is judged by what is stored and by what the changes before it
 * would have made of that, in the order and with the refusals of `RecordService`. Ids and unique values of records that
 * the caller may not view count as free, so that nobody looks for them without a trace.
 */
export class Rehearsal {
  readonly #deps: RehearsalDependencies;
  readonly #drafts: RecordDrafts;
  readonly #facts: StoredFacts;
  readonly overlay: Overlay;

  constructor(dependencies: RehearsalDependencies, overlay: Overlay) {
    this.#deps = dependencies;
    this.overlay = overlay;
    this.#facts = new StoredFacts(dependencies);
    this.#drafts = new RecordDrafts({
      ...dependencies,
      reader: {
        find: async (model, id, grant) => {
          const own = await this.#record(model, id.toLowerCase());
          if (!own) return dependencies.reader.find(model, id, grant);
          if (!isGranted(model, own, grant))
            throw problems.recordNotFound({ entity: model.code, id });
          return own;
        },
        decrypted: async (model, header) =>
          overlay.record(header.id) ? header : dependencies.reader.decrypted(model, header),
      },
    });
  }

  /** Ids that records have. */
  async idsInUse(
    model: EntityModel,
    ids: readonly string[],
    principal: Principal,
  ): Promise<ReadonlySet<string>> {
    await this.#facts.lookUp(model, { ids, claims: [], references: [] }, principal);
    await this.#sayWhatIsHidden(model, principal);
    return new Set(ids.filter((id) => this.overlay.record(id) || this.#facts.isUsed(id)));
  }

  /** New records in one transaction. @param apart what is done when it does not hold them all */
  async storeTogether(
    model: EntityModel,
    headers: readonly RecordHeader[],
    principal: Principal,
    { apart }: { readonly apart: () => Promise<unknown> },
  ): Promise<void> {
    const joint = new Overlay(false);
    const plans: WritePlan[] = [];
    const files = new Set(this.overlay.files);
    const refusal = await refusalOf(async () => {
      for (const after of headers) {
        const plan = await this.#written(model, { before: undefined, after, principal }, files);
        for (const claim of plan.claims.added) {
          if (joint.holder(claim)) throw problems.uniqueViolation({ fields: claim.fields });
        }
        joint.apply(plan);
        plans.push(plan);
      }
      await this.#committed(model, plans, principal, joint);
    });
    if (refusal) {
      await apart();
      return;
    }
    for (const plan of plans) this.overlay.apply(plan);
    for (const file of files) this.overlay.files.add(file);
  }

  /** A new record that was checked. @throws what storing it throws */
  async store(model: EntityModel, after: RecordHeader, principal: Principal): Promise<void> {
    if (after.parentId) await previewPlace(this.#tree, model.code, after);
    await this.#stored(model, { before: undefined, after, principal });
  }

  /** @throws what the change throws, except when others change the record meanwhile */
  async update(
    model: EntityModel,
    id: string,
    body: JsonObject,
    principal: Principal,
    options: UpdateOptions = {},
  ): Promise<Pick<Change, 'isSame'>> {
    const grant = await this.#deps.access.check(model, principal, 'edit');
    if (this.#isForgotten(id.toLowerCase())) return { isSame: false };
    const change = await this.#drafts.changed(model, id, body, { principal, grant, options });
    if (change.isSame) return change;
    const { before, after } = change;
    if (after.parentId !== before.parentId) await previewMove(this.#tree, model.code, change);
    await this.#stored(model, { before, after, principal });
    return change;
  }

  /**
   * The record that an upsert finds by a value; only its id when the rest is forgotten.
   * @param filter for that value and for what the caller sees
   * @param stored the record that is found without the changes of the dry run
   */
  async found(
    model: EntityModel,
    { key, value, filter }: { key: string; value: unknown; filter: Filter },
    stored: RecordHeader | undefined,
  ): Promise<Pick<RecordHeader, 'id'> | RecordHeader | undefined> {
    const holder = key === 'id' ? String(value).toLowerCase() : this.#holderOf(model, key, value);
    const id = holder || stored?.id;
    if (!id || !this.overlay.record(id)) return stored;
    const header = await this.#record(model, id);
    if (!header) return { id };
    return isGranted(model, header, { filter }) ? header : undefined;
  }

  #holderOf(model: EntityModel, key: string, value: unknown): string | undefined {
    const { generation } = model;
    const stamps = { createdAt: '', createdBy: '', updatedAt: '', updatedBy: '' };
    const header = { ...stamps, id: '', version: 1, generation, values: { [key]: value } };
    const claims = wantedClaims(model, header as RecordHeader);
    const claim = claims.find(({ fields }) => fields.length === 1 && fields[0] === key);
    return claim && this.overlay.holder(claim);
  }

  async #stored(
    model: EntityModel,
    change: { before: RecordHeader | undefined; after: RecordHeader; principal: Principal },
  ): Promise<void> {
    const files = new Set(this.overlay.files);
    const plan = await this.#written(model, change, files);
    const joint = new Overlay(false);
    joint.apply(plan);
    await this.#committed(model, [plan], change.principal, joint);
    this.overlay.apply(plan);
    for (const file of files) this.overlay.files.add(file);
  }

  #written(
    model: EntityModel,
    change: { before: RecordHeader | undefined; after: RecordHeader; principal: Principal },
    files: Set<string>,
  ): Promise<WritePlan> {
    return this.#deps.writer.preview(model, change, files);
  }

  /** @param joint what the transaction writes itself @throws Problem of the first condition that the table would refuse */
  async #committed(
    model: EntityModel,
    plans: readonly WritePlan[],
    principal: Principal,
    joint: Overlay,
  ): Promise<void> {
    const { overlay } = this;
    const isKnown = ({ entity, id }: ReferenceCheck): boolean =>
      entity === model.code && (joint.record(id) ?? overlay.record(id)) !== undefined;
    const created = plans.filter(({ before }) => !before).map(({ after }) => after.id);
    const wanted = {
      ids: created.filter((id) => !overlay.record(id)),
      claims: plans.flatMap(({ claims }) =>
        claims.added.filter((claim) => overlay.holder(claim) === undefined),
      ),
      references: plans.flatMap(({ references }) => references.filter((each) => !isKnown(each))),
    };
    await this.#facts.lookUp(model, wanted, principal);
    if (wanted.claims.length > 0) await this.#sayWhatIsHidden(model, principal);
    for (const plan of plans) this.#refuse(plan, isKnown);
  }

  #refuse(
    { before, after: { id }, claims, references }: WritePlan,
    isKnown: (check: ReferenceCheck) => boolean,
  ): void {
    const checks = [...new Map(references.map((each) => [nameOf(each), each])).values()];
    const unreadable = checks.find((check) => !isUuid(check.id));
    if (unreadable) throw problems.referenceNotFound(unreadable);
    if (!before && (this.overlay.record(id) || this.#facts.isUsed(id))) {
      throw problems.recordExists({ id });
    }
    for (const claim of claims.added) {
      const conflictId = this.overlay.holder(claim) ?? this.#facts.holder(claim);
      if (conflictId) throw problems.uniqueViolation({ fields: claim.fields, conflictId });
    }
    for (const check of checks.filter((each) => !isKnown(each))) {
      const target = this.#facts.target(check);
      if (target === 'lost') throw problems.referenceNotFound(check);
      if (target === 'leaving') throw problems.deletionInProgress(check);
    }
  }

  /** For callers who may not view everything the dry run may take for free what is not, whether or not it does. */
  async #sayWhatIsHidden(model: EntityModel, principal: Principal): Promise<void> {
    const grant = await this.#deps.access.grantOf(model, principal, 'view');
    if (!grant || isNarrowed(grant)) this.overlay.isExact = false;
  }

  /** A record as it would be by then, with open values. */
  async #record(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    const own = this.overlay.record(id);
    if (!own?.header || !own.isSealed) return own?.header;
    const open = await this.#deps.cipher.decrypt(model, own.header);
    this.overlay.put({ id, parentId: own.parentId, header: open });
    return open;
  }

  #isForgotten(id: string): boolean {
    const own = this.overlay.record(id);
    if (!own || own.header) return false;
    this.overlay.isExact = false;
    return true;
  }

  get #tree(): TreeReads {
    const { repository } = this.#deps;
    const { overlay } = this;
    return {
      findHeader: async (entity, id) => overlay.record(id) ?? repository.findHeader(entity, id),
      treeRows: async (entity, { parentId, limit }) => {
        const stored = await repository.treeRows(entity, {
          ...(parentId !== undefined && { parentId }),
          limit: limit + overlay.size,
        });
        const rest = stored.filter(({ id }) => !overlay.record(id));
        return [...rest, ...overlay.children(parentId)].slice(0, limit);
      },
    };
  }
}

const nameOf = ({ entity, id }: ReferenceCheck): string => `${entity}#${id}`;

async function refusalOf(work: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

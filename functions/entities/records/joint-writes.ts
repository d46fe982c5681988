import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { UniqueClaim } from '../domain/records/index-rows.ts';
import { withSome } from '../domain/records/present.ts';
import {
  addCounts,
  type CounterChange,
  type ReferenceCheck,
  type WritePlan,
} from '../domain/records/write-plan.ts';
import { isUuid } from '../domain/values/ids.ts';
import { problems } from '../errors.ts';
import { stageClaim, stageClaimFree, stageCounters } from '../store/record-staging.ts';
import type { ReferenceTargets } from '../store/reference-targets.ts';

interface Claimed {
  readonly claim: UniqueClaim;
  taken?: { readonly by: string; readonly otherwise: () => Promise<Error> };
  freedBy?: string;
}

/** A record in a unit, with the values of its references alone: the unit may change many large ones. */
interface RecordChangeInUnit {
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
}

/** What refuses one change of the unit, and in which words. */
interface Refusing {
  /** Problem when a record outside the unit holds a value. */
  readonly violation: (claim: UniqueClaim) => Promise<Error>;
  readonly targets: ReferenceTargets;
  /** Rewords the other refusals for the caller. */
  readonly told: (refusal: Error) => Error;
}

type RefusedReference = ReferenceCheck & { readonly refusing: Refusing };

const units = new WeakMap<UnitOfWork, Map<string, JointWrites>>();

/**
 * Writes shared by the changes of one unit of work: unique values released by one record and claimed by another, records
 * changed by one and referenced by another, counters. A transaction may write an item once, so they are staged together at the end.
 */
export class JointWrites {
  readonly #entity: string;
  readonly #shards: number;
  readonly #referring: readonly string[];
  readonly #changes = new Map<string, RecordChangeInUnit>();
  readonly #claims = new Map<string, Claimed>();
  readonly #references = new Map<string, RefusedReference>();
  #counters: CounterChange = new Map();

  private constructor({ code, definition }: EntityModel) {
    this.#entity = code;
    this.#shards = definition.options.shards;
    const { fields } = definition;
    this.#referring = fields.filter(({ reference }) => reference).map((field) => field.code);
  }

  /** The shared writes of a unit to one entity. */
  static of(unit: UnitOfWork, model: EntityModel): JointWrites {
    const ofUnit = units.get(unit) ?? new Map<string, JointWrites>();
    units.set(unit, ofUnit);
    const known = ofUnit.get(model.code);
    if (known) return known;
    const joint = new JointWrites(model);
    ofUnit.set(model.code, joint);
    unit.atClose(() => joint.#stage(unit));
    return joint;
  }

  /**
   * Adds what the change of one record shares with others.
   * @throws Problem `UNIQUE_VIOLATION` (409) when two records take one value, `VALIDATION_FAILED` (400) when a record changes twice
   */
  add({ before, after, claims, references, counters }: WritePlan, refusing: Refusing): void {
    if (this.#changes.has(after.id)) {
      const detail = `change the record ${after.id} twice, which is not possible in an atomic call`;
      throw httpProblems.validationFailed([{ pointer: '/operations', code: 'DUPLICATE', detail }]);
    }
    const [old, next] = [
      before && withSome(before, this.#referring),
      withSome(after, this.#referring),
    ];
    this.#changes.set(after.id, { before: old, after: next });
    for (const claim of claims.added) {
      const claimed = this.#claimed(claim);
      if (claimed.taken) throw problems.uniqueViolation({ fields: claim.fields });
      claimed.taken = { by: after.id, otherwise: () => refusing.violation(claim) };
    }
    for (const claim of claims.removed) this.#claimed(claim).freedBy = after.id;
    for (const check of references) {
      this.#references.set(`${check.entity}#${check.id}`, { ...check, refusing });
    }
    this.#counters = addCounts(this.#counters, counters);
  }

  /** What a unit has made of a record so far; none when it leaves it as it is. */
  static changeIn(unit: UnitOfWork, entity: string, id: string): RecordChangeInUnit | undefined {
    const joint = units.get(unit)?.get(entity);
    return joint === undefined ? undefined : joint.#changes.get(id);
  }

  #claimed(claim: UniqueClaim): Claimed {
    const key = `${claim.name}#${claim.key}`;
    const claimed = this.#claims.get(key) ?? { claim };
    this.#claims.set(key, claimed);
    return claimed;
  }

  async #stage(unit: UnitOfWork): Promise<void> {
    for (const { claim, taken, freedBy } of this.#claims.values()) {
      if (!taken) stageClaimFree(unit, this.#entity, claim);
      else {
        const { by: takenBy, otherwise } = taken;
        stageClaim(unit, this.#entity, claim, { takenBy, freedBy, otherwise });
      }
    }
    for (const { refusing, ...check } of this.#references.values()) {
      const { targets, told } = refusing;
      if (!isUuid(check.id)) throw told(problems.referenceNotFound(check));
      const change = JointWrites.changeIn(unit, check.entity, check.id);
      if (!change) await targets.hold(unit, check, told);
      // The unit changes the target itself: the condition of that write ensures that it is what was read, without a mark.
      else if (change.before?.deleting || change.after.deletedAt)
        throw told(problems.referenceNotFound(check));
    }
    stageCounters(unit, this.#entity, this.#shards, this.#counters);
  }
}

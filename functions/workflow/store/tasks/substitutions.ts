import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import type { Condition, Item, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import {
  absencePartition,
  absencesMarkKey,
  groupsPartition,
  SUBSTITUTES_MARK,
  substituteKey,
} from '../task-keys.ts';

/** Somebody who works on the tasks of an absent user for a time. */
export interface Substitution {
  readonly user: string;
  /** What the absent user is called by: id, and username as far as that is known. */
  readonly names: readonly string[];
  readonly substitute: string;
  readonly from: string;
  readonly until: string;
  readonly setBy: string;
  readonly setAt: string;
}

/** Keeps who stands in for whom. */
export class Substitutions {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async of(tenant: string, user: string): Promise<Substitution | undefined> {
    const item = await this.#table.get(substituteKey(tenant, user));
    return item && toSubstitution(item);
  }

  /** The substitutions by one user, at any time. */
  async by(tenant: string, substitute: string, most: number): Promise<Substitution[]> {
    const partition = absencePartition(tenant, substitute);
    const { items } = await this.#table.query<Item>({ partition, limit: most, consistent: true });
    return items.map(toSubstitution);
  }

  /** The number of changes of a user's substitutions: read it before the substitutions are counted. */
  async changesOf(tenant: string, substitute: string): Promise<number> {
    const mark = await this.#table.get<Item>(absencesMarkKey(tenant, substitute));
    return mark?.version ?? 0;
  }

  /** Stages a substitution; the unit runs again when another call has named the substitute meanwhile. */
  stage(
    unit: UnitOfWork,
    tenant: string,
    before: Substitution | undefined,
    to: Substitution,
    changes: number,
  ): void {
    unit.put(
      { ...absencesMarkKey(tenant, to.substitute), version: changes + 1 },
      { condition: changes === 0 ? notExists : versionIs(changes), otherwise: 'retry' },
    );
    if (before && before.substitute !== to.substitute) this.#stageGone(unit, tenant, before);
    const { user, substitute } = to;
    unit.put(
      { ...substituteKey(tenant, user), type: 'task_substitute', ...to },
      { condition: before ? isStill(before) : notExists, otherwise: 'retry' },
    );
    unit.put({ pk: absencePartition(tenant, substitute), sk: user, type: 'task_absence', ...to });
    unit.put({ pk: groupsPartition(tenant), sk: SUBSTITUTES_MARK });
  }

  /** Stages the end of a substitution; the unit runs again when it has been replaced meanwhile. */
  stageRemoval(unit: UnitOfWork, tenant: string, given: Substitution): void {
    unit.delete(substituteKey(tenant, given.user), {
      condition: isStill(given),
      otherwise: 'retry',
    });
    this.#stageGone(unit, tenant, given);
  }

  #stageGone(unit: UnitOfWork, tenant: string, { substitute, user }: Substitution): void {
    unit.delete({ pk: absencePartition(tenant, substitute), sk: user });
  }
}

const isStill = ({ substitute, setAt }: Substitution): Condition => ({
  expression: '#substitute = :substitute AND #setAt = :setAt',
  names: { '#substitute': 'substitute', '#setAt': 'setAt' },
  values: { ':substitute': substitute, ':setAt': setAt },
});

function toSubstitution(item: Item): Substitution {
  const { pk: _, sk: _sk, type: _type, ...substitution } = item;
  return substitution as unknown as Substitution;
}

import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { dayAt } from '../domain/values/calendar.ts';
import { seriesOf } from '../domain/values/number-format.ts';
import type { NumberRepository } from '../store/number-repository.ts';

export interface RecordNumbersDependencies {
  readonly numbers: NumberRepository;
  /** Time zone of the days that numbers name. */
  readonly zone: string;
}

/** Numbers that a unit takes of one series. */
interface Taking {
  readonly entity: string;
  readonly series: string;
  readonly seen: number;
  last: number;
}

/** Creates of one series at the same time are repeated for so long. */
const PATIENCE_MS = 15_000;
const units = new WeakMap<UnitOfWork, Map<string, Promise<Taking>>>();

/** Whether records get numbers when they are created. */
export const isNumbered = ({ definition }: EntityModel): boolean =>
  definition.fields.some(({ numberFormat }) => numberFormat !== undefined);

/** Gives new records their numbers. */
export class RecordNumbers {
  readonly #deps: RecordNumbersDependencies;

  constructor(dependencies: RecordNumbersDependencies) {
    this.#deps = dependencies;
  }

  /** The record with the next number of each series, which the unit takes when it stores the record, and only then. */
  async assigned(
    unit: UnitOfWork,
    model: EntityModel,
    header: RecordHeader,
  ): Promise<RecordHeader> {
    if (!isNumbered(model)) return header;
    unit.retryFor(PATIENCE_MS);
    const day = dayAt(Date.parse(header.createdAt), this.#deps.zone);
    const values: Record<string, unknown> = { ...header.values };
    for (const { code, numberFormat } of model.definition.fields) {
      if (numberFormat === undefined) continue;
      const series = seriesOf(numberFormat, day);
      const taking = await this.#taking(unit, model.code, series.name);
      taking.last += 1;
      values[code] = series.numberOf(taking.last);
    }
    return { ...header, values };
  }

  /** What the unit takes of a series; it is staged once, however many records are created together. */
  #taking(unit: UnitOfWork, entity: string, series: string): Promise<Taking> {
    const { numbers } = this.#deps;
    const ofUnit = units.get(unit) ?? new Map<string, Promise<Taking>>();
    units.set(unit, ofUnit);
    const key = `${entity}#${series}`;
    const known = ofUnit.get(key);
    if (known) return known;
    const begun = numbers
      .last(entity, series)
      .then((seen): Taking => ({ entity, series, seen, last: seen }));
    ofUnit.set(key, begun);
    unit.beforeCommit(async () => numbers.stage(unit, entity, series, await begun));
    return begun;
  }
}

import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { wantedClaims } from '../domain/records/index-rows.ts';
import { dayAt } from '../domain/values/calendar.ts';
import { type NumberSeries, seriesOf } from '../domain/values/number-format.ts';
import type { NumberRepository } from '../store/number-repository.ts';
import type { RecordRepository } from '../store/record-repository.ts';

export interface RecordNumbersDependencies {
  readonly numbers: NumberRepository;
  readonly repository: Pick<RecordRepository, 'claimant'>;
  readonly unitOfWork: RunUnitOfWork;
  /** Time zone of the days that numbers name. */
  readonly zone: string;
}

/** Numbers that a unit takes of one series. */
interface Taking {
  readonly entity: string;
  readonly series: string;
  seen: number;
  last: number;
}

/** A numbered field of a new record. */
interface Numbering {
  readonly model: EntityModel;
  readonly header: RecordHeader;
  readonly code: string;
  readonly series: NumberSeries;
}

/** How long a create is repeated while others take numbers of the same series. */
const PATIENCE_MS = 15_000;
/** Numbers that one create passes over, because records have them that were given them otherwise. */
const MAX_PASSED = 20_000;
/** So many are passed over before that is kept. */
const PASSED_BETWEEN = 1_000;
const AT_ONCE = 25;
class PassedByAnother extends Error {}

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
      await this.#passTaken({ model, header, code, series }, taking);
      taking.last += 1;
      values[code] = series.numberOf(taking.last);
    }
    return { ...header, values };
  }

  /**
   * Moves on to a number that no record has: where the field is unique and was written before, or had another format. What
   * is passed over is passed for good, so that the next create begins behind it.
   * @throws Problem `SERVICE_UNAVAILABLE` (503) when there are more than one call passes over; the next one goes on
   */
  async #passTaken(numbering: Numbering, taking: Taking): Promise<void> {
    const { code, model } = numbering;
    if (!model.uniques.some(({ fields }) => fields.length === 1 && fields[0] === code)) return;
    const first = taking.last;
    for (let free = false; !free; ) {
      if (taking.last - first >= MAX_PASSED) throw httpProblems.serviceUnavailable();
      const before = taking.last;
      free = await this.#passSome(numbering, taking, before === first ? 1 : AT_ONCE);
      const isNews = taking.seen === before && taking.last > before;
      // The unit will find out, and begin again behind them.
      if (isNews && !(await this.#keepPassed(taking))) return;
    }
  }

  /** @returns whether the number behind the last one is free */
  async #passSome(numbering: Numbering, taking: Taking, atOnce: number): Promise<boolean> {
    const before = taking.last;
    for (let length = atOnce; taking.last - before < PASSED_BETWEEN; length = AT_ONCE) {
      const next = Array.from({ length }, (_, at) => taking.last + 1 + at);
      const isTaken = await Promise.all(
        next.map((count) => this.#isTaken(numbering, numbering.series.numberOf(count))),
      );
      const passed = isTaken.indexOf(false);
      taking.last += passed >= 0 ? passed : length;
      if (passed >= 0) return true;
    }
    return false;
  }

  /** Keeps apart from the unit what was passed over. @returns `false` when others have been faster */
  async #keepPassed(taking: Taking): Promise<boolean> {
    const { numbers, unitOfWork } = this.#deps;
    const { entity, series, seen, last } = taking;
    const otherwise = (): Error => new PassedByAnother();
    try {
      await apart(() =>
        unitOfWork(async (unit) => numbers.stage(unit, entity, series, { seen, last, otherwise })),
      );
      taking.seen = last;
      return true;
    } catch (error) {
      if (error instanceof PassedByAnother) return false;
      throw error;
    }
  }

  async #isTaken({ model, header, code }: Numbering, number: string): Promise<boolean> {
    const values = { ...header.values, [code]: number };
    const claim = wantedClaims(model, { ...header, values }).find(
      ({ fields }) => fields.length === 1 && fields[0] === code,
    );
    if (!claim) return false;
    const { name, key } = claim;
    return (await this.#deps.repository.claimant(model.code, name, key, true)) !== undefined;
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
    unit.atClose(async () => numbers.stage(unit, entity, series, await begun));
    return begun;
  }
}

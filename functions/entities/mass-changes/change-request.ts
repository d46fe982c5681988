import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { withinGrant } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { allOf, type Filter } from '../domain/query/filter.ts';
import type { Moment } from '../domain/query/moments.ts';
import { parseFilterObject, parseWords } from '../domain/query/parse-filter.ts';
import { readInput } from '../domain/records/merge.ts';
import type { RelatedRecords } from '../queries/related-records.ts';

/** What is to be done with the records that meet a filter. */
export interface ChangeRequest {
  readonly op: 'update' | 'delete';
  /** As in the parameter `filter` of a list. */
  readonly filter: JsonObject;
  readonly q?: string | undefined;
  /** Values of an update. */
  readonly data?: JsonObject | undefined;
  readonly dryRun: boolean;
}

/** A request with the time that it was made at, which a job needs to judge it later. */
export interface StartedChange extends ChangeRequest {
  /** Records that were made later are left alone. */
  readonly moment: Moment;
}

export interface ChangeScopesDependencies {
  readonly access: EntityAccess;
  readonly related: RelatedRecords;
}

/** Finds out which records a caller may change by a filter. */
export class ChangeScopes {
  readonly #deps: ChangeScopesDependencies;

  constructor(dependencies: ChangeScopesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The records that the caller asks for, of those that the caller may both view and change.
   * @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD` (400), `FORBIDDEN` (403)
   */
  async of(model: EntityModel, request: StartedChange, principal: Principal): Promise<Filter> {
    const { access, related } = this.#deps;
    const { op, q, data, moment } = request;
    const grant = await access.check(model, principal, op === 'update' ? 'edit' : 'delete');
    const seen = await access.seen(model, principal, grant);
    const asked = await this.#inBody('', async () =>
      related.within(
        (found) =>
          allOf([
            parseFilterObject(request.filter, model, 'filter', { related: found, moment }),
            ...(q === undefined ? [] : [parseWords(q, model)]),
          ]),
        principal,
      ),
    );
    const filter = await this.#inBody('', async () => withinGrant(model, asked, [], seen));
    if (data) await this.#inBody('/data', async () => readInput(model, data, grant.fields));
    return filter;
  }

  /** Runs a check, and makes its problems name places in the body of the call. */
  async #inBody<T>(place: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Problem) || error.errors.length === 0) throw error;
      const errors = error.errors.map(({ parameter, pointer, ...item }) => ({
        pointer: parameter === undefined ? `${place}${pointer ?? ''}` : bodyPointer(parameter),
        ...item,
      }));
      if (error.code === 'UNKNOWN_FIELD') throw httpProblems.unknownField(errors);
      if (error.status === 400) throw httpProblems.validationFailed(errors);
      throw error;
    }
  }
}

const bodyPointer = (parameter: string): string => (parameter === 'q' ? '/q' : '/filter');

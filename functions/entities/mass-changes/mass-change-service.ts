import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { viewedNow } from '../access/view-grants.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { storableErrors } from '../domain/schema/storable.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import type { ChangeRequest, ChangeScopes } from './change-request.ts';

export interface MassChangeServiceDependencies {
  readonly access: EntityAccess;
  readonly scopes: ChangeScopes;
  readonly jobs: JobService;
  readonly cipher: FieldCipher;
}

/** Bytes of a filter and its values: the job keeps them, and names failures besides. */
const MAX_REQUEST_BYTES = 200_000;

/** Starts changes and deletions by filter. */
export class MassChangeService {
  readonly #deps: MassChangeServiceDependencies;

  constructor(dependencies: MassChangeServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Starts the job that changes or deletes the records that meet a filter, or that says what this would do.
   * @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD` (400), `FORBIDDEN` (403), `PAYLOAD_TOO_LARGE` (413)
   */
  async start(
    model: EntityModel,
    request: ChangeRequest,
    principal: Principal,
  ): Promise<EntityJob> {
    const { access, scopes, jobs, cipher } = this.#deps;
    if (request.op === 'update' && Object.keys(request.data ?? {}).length === 0) {
      const detail = 'must name a field at least';
      throw httpProblems.validationFailed([{ pointer: '/data', code: 'TOO_SMALL', detail }]);
    }
    const errors = storableErrors(request.data ?? {}, '/data');
    if (errors.length > 0) throw httpProblems.validationFailed(errors.slice(0, 50));
    const started = { ...request, moment: access.moment() };
    await scopes.of(model, started, principal);
    const grantedBy = await viewedNow(access, model, principal);
    const kind = request.op === 'update' ? 'BULK_UPDATE' : 'BULK_DELETE';
    const { data, ...kept } = started;
    const input = { request: kept, principal, grantedBy };
    const { generation } = model;
    const values = data && { data: await cipher.encrypt(model, { values: data, generation }) };
    if (Buffer.byteLength(JSON.stringify([kept, values])) > MAX_REQUEST_BYTES) {
      throw httpProblems.payloadTooLarge({ maxBytes: MAX_REQUEST_BYTES });
    }
    return jobs.start(kind, model.code, { ...input, ...values }, principal);
  }
}

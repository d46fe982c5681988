import type { Principal } from '../../../../shared/security/principal.ts';
import type { DoneCommand } from '../../cases/case-commands.ts';
import type { CaseDetails } from '../../cases/case-details.ts';
import type { CaseCalls } from '../../cases/services.ts';
import type { TaskCalls } from '../../tasks/services.ts';
import { toCase } from './case-views.ts';

export interface CaseRouteServices {
  readonly cases: CaseCalls;
  readonly tasks: Pick<TaskCalls, 'guard'>;
}

/** Shows cases in answers, with what the caller may do with their tasks. */
export function caseViewer({ cases: { reader }, tasks: { guard } }: CaseRouteServices) {
  const show = async (details: CaseDetails, principal: Principal) =>
    toCase(details, await guard.callerFor(details.tasks, principal));
  return {
    get: async (id: string, principal: Principal) =>
      show(await reader.get(id, principal), principal),
    /** A case as a command has left it. */
    after: async (done: DoneCommand, principal: Principal) =>
      show(await reader.after(done), principal),
  };
}

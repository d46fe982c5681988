import { jobFunctionName, type ModuleDeclaration } from '../../../shared/module/declaration.ts';
import type { UntestedGrant } from '../../../shared/module/grants.ts';
import type { AcceptedGrant } from './check-calls-against-policies.ts';
import { functionResource, type Template } from './policy-grants.ts';

/** Comes with every function; which of them is called after a refresh is chance, but the journeys refresh. */
const REFRESH_STEPS: UntestedGrant = {
  actions: ['dynamodb:Query'],
  on: ['table'],
  keys: ['setting#@refresh'],
  mayHappen: true,
  reason: 'Only environments in which a setting was read since the last refresh look which.',
};

/** The grants that modules declare as untested, as the check of a template names them. */
export function untestedGrants(
  modules: readonly ModuleDeclaration[],
  template: Template,
): AcceptedGrant[] {
  return modules.flatMap((module) => [
    ...accepted([REFRESH_STEPS, ...(module.untestedGrants ?? [])], module.name, template),
    ...(module.jobs ?? []).flatMap((job) =>
      accepted(
        [REFRESH_STEPS, ...(job.untestedGrants ?? [])],
        jobFunctionName(module, job),
        template,
      ),
    ),
  ]);
}

function accepted(
  grants: readonly UntestedGrant[],
  name: string,
  template: Template,
): AcceptedGrant[] {
  return grants.flatMap(({ of: module = name, actions, on, keys, mayHappen = false, reason }) =>
    actions.flatMap((action) =>
      on.flatMap((place) => {
        const resource = resourceOf(place, template);
        // What is switched off has no queue.
        if (resource === undefined) return [];
        const grant = { module, action, resource, mayHappen, reason };
        return keys ? keys.map((leadingKey) => ({ ...grant, leadingKey })) : [grant];
      }),
    ),
  );
}

/** `queue/<group>` and `function/<module>` as the template knows them; any other place as it is. */
function resourceOf(place: string, { Resources }: Template): string | undefined {
  const [kind, name] = place.split('/');
  const resources = Object.entries(Resources);
  if (kind === 'queue') {
    const queues = resources.map(([, { Properties }]) => String(Properties?.QueueName ?? ''));
    const queue = queues.find((each) => each.endsWith(`--${name}`));
    return queue && `arn:aws:sqs:*:*:${queue}`;
  }
  if (kind === 'function') {
    const [id] = resources.find(([, { Properties }]) => moduleOf(Properties) === name) ?? [];
    return functionResource(String(id));
  }
  return place;
}

function moduleOf(properties: Readonly<Record<string, unknown>> = {}): string | undefined {
  const { Variables } = (properties.Environment ?? {}) as {
    readonly Variables?: Readonly<Record<string, string>>;
  };
  return Variables?.SVC_MODULE;
}

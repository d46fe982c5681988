type Stored = Readonly<Record<string, unknown>>;

interface Head {
  readonly caseInstanceId: string;
  readonly familyId: string;
  readonly parentCaseInstanceId?: string;
  readonly workflowCode: string;
  readonly state: string;
  readonly businessKey?: string;
}

/** Items that every environment writes as it works: definitions, marks of sweeps, settings. */
const OF_SWEEPS = /^(WF#|message|setting|TIMERDUE#@|TASKDUE#@)/;
const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]*Z?/g;

/** What is stored of cases, without ids and times: two tables in which the same has happened have the same facts. */
export function storedFacts(items: readonly Stored[], paths: Iterable<string>) {
  const heads = items.filter(({ sk }) => sk === 'LIVE#HEAD').map(({ head }) => head as Head);
  const roles = new Map(heads.map((head) => [head.caseInstanceId, roleOf(head)]));
  const told = items.filter(({ pk }) => String(pk).startsWith('message#'));
  return {
    cases: counts(
      heads.map((head) => `${roleOf(head)} ${head.state} ${head.businessKey ?? 'without key'}`),
    ),
    tasks: counts(
      items
        .filter(({ type }) => type === 'task')
        .map((task) => {
          const { taskDefinitionKey, status, isSuspended, version, assignee = 'nobody' } = task;
          return `${taskDefinitionKey} ${status} ${isSuspended} ${version} ${assignee}`;
        }),
    ),
    rows: counts(
      items
        .filter(({ pk }) => !OF_SWEEPS.test(String(pk)))
        .map(({ pk, sk }) => `${pk} / ${sk}`.replaceAll(ID, '@').replaceAll(TIME, '~')),
    ),
    history: counts(
      items
        .filter(({ sk }) => String(sk).startsWith('HIST#'))
        .map(({ pk, by, action, command }) => {
          const of = roles.get(String(pk).slice('CASE#'.length)) ?? 'task';
          return `${of}: ${(command as { type: string } | undefined)?.type ?? action} by ${by}`;
        }),
    ),
    events: counts(told.map(({ topic }) => String(topic))),
    isInSequence: isInSequence(told),
    objects: counts([...paths].map((path) => path.replaceAll(ID, '@'))),
  };
}

/** Whether the events of each case are numbered without a gap, each number once. */
function isInSequence(told: readonly Stored[]): boolean {
  const numbered = told
    .map(
      ({ payload }) => JSON.parse(String(payload)) as { caseInstanceId: string; sequence?: number },
    )
    .filter(({ sequence }) => sequence !== undefined);
  const cases = Map.groupBy(numbered, ({ caseInstanceId }) => caseInstanceId);
  return [...cases.values()].every((events) => {
    const numbers = new Set(events.map(({ sequence }) => sequence));
    return numbers.size === events.length && Math.max(...events.map(lastOf)) === events.length;
  });
}

const lastOf = ({ sequence = 0 }: { readonly sequence?: number }): number => sequence;

function roleOf({ workflowCode, caseInstanceId, familyId, parentCaseInstanceId }: Head): string {
  if (parentCaseInstanceId === undefined) return workflowCode;
  return `${workflowCode} ${caseInstanceId === familyId ? 'of its own' : 'of its parent'}`;
}

const counts = (all: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(all, (one) => one)].map(([one, { length }]) => [one, length]));

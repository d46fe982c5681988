import type { Variables } from '../../../functions/workflow/domain/cmmn/index.ts';

/** What is seen of an instance of a plan item. */
export interface SeenInstance {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly variables?: Variables;
  readonly completable?: boolean;
  readonly timer?: { readonly dueAt: string };
  readonly task?: {
    readonly assignee?: string | null;
    readonly candidateUsers?: readonly string[] | null;
    readonly candidateGroups?: readonly string[] | null;
  };
}

/** An instance of a plan item with what its definition tells. */
export interface SeenPlanItem {
  readonly instance: SeenInstance;
  readonly definitionKey: string;
  readonly definitionType: string;
}

/** A case as a caller sees it. */
export interface SeenCase {
  readonly instance: {
    readonly id: string;
    readonly definitionKey: string;
    readonly state: string;
    readonly variables: Variables;
    readonly completable: boolean;
    readonly businessStatus?: string;
  };
  readonly live: readonly SeenPlanItem[];
  readonly ended: readonly SeenPlanItem[];
  readonly milestones: readonly string[];
}

/** Every case there has been, in order of its start; the first is the one that the scenario has started. */
export interface SeenWorld {
  readonly cases: readonly SeenCase[];
  readonly root: SeenCase;
}

export const isEnded = (state: string): boolean =>
  ['completed', 'terminated', 'failed'].includes(state);
export const isOpen = ({ instance }: SeenCase): boolean => !isEnded(instance.state);

/** The newest open case of a definition, else the newest; `*child` means the only case beside the root. */
export function findCase(world: SeenWorld, key: string): SeenCase | undefined {
  const root = world.root.instance.id;
  const candidates = world.cases.filter(({ instance }) =>
    key === '*child' ? instance.id !== root : instance.definitionKey === key,
  );
  return candidates.findLast(isOpen) ?? candidates.at(-1);
}

import type { Report } from '../basics/problem.ts';
import type { CaseDefinition, Definitions } from '../model/case-definition.ts';
import type { Stage } from '../model/plan-item-definition.ts';
import { constantKey } from './rules-calling-tasks.ts';

/** Reports cases that call themselves through case tasks; the engine ends such a chain by a limit. */
export function checkCaseRecursion(
  { key, name }: CaseDefinition,
  recursive: ReadonlySet<string>,
  report: Report,
): void {
  if (!recursive.has(key)) return;
  const message = 'The case starts itself through case tasks.';
  report.add('CASE_TASK_RECURSION', message, { id: key, type: 'case', name });
}

/** A case on the way of the search, with the callees it has still to look at. */
interface Visit {
  readonly key: string;
  readonly callees: readonly string[];
  readonly order: number;
  /** The earliest case on the path that it calls again. */
  earliest: number;
  next: number;
  isClosed: boolean;
}

/** Keys of the cases of the document that call themselves. */
export const recursiveCases = ({ cases }: Definitions): ReadonlySet<string> =>
  new CircleSearch(new Map(cases.map(({ key, planModel }) => [key, calledBy(planModel)]))).find();

/** Tarjan's search for circles, linear and without recursion. */
class CircleSearch {
  readonly #calls: ReadonlyMap<string, readonly string[]>;
  readonly #seen = new Map<string, Visit>();
  /** Cases whose circle is not known yet. */
  readonly #open: Visit[] = [];
  readonly #way: Visit[] = [];
  readonly #found = new Set<string>();

  constructor(calls: ReadonlyMap<string, readonly string[]>) {
    this.#calls = calls;
  }

  /** The members of all circles. */
  find(): ReadonlySet<string> {
    for (const key of this.#calls.keys()) {
      if (!this.#seen.has(key)) this.#enter(key);
      for (let visit = this.#way.at(-1); visit; visit = this.#way.at(-1)) {
        const callee = visit.callees[visit.next++];
        if (callee === undefined) this.#leave(visit);
        else if (this.#calls.has(callee)) this.#look(visit, callee);
      }
    }
    return this.#found;
  }

  #enter(key: string): void {
    const order = this.#seen.size;
    const callees = this.#calls.get(key) ?? [];
    const visit: Visit = { key, callees, order, earliest: order, next: 0, isClosed: false };
    this.#seen.set(key, visit);
    this.#open.push(visit);
    this.#way.push(visit);
  }

  #look(visit: Visit, callee: string): void {
    const known = this.#seen.get(callee);
    if (callee === visit.key) this.#found.add(callee);
    if (!known) this.#enter(callee);
    else if (!known.isClosed) visit.earliest = Math.min(visit.earliest, known.order);
  }

  #leave(visit: Visit): void {
    this.#way.pop();
    const caller = this.#way.at(-1);
    if (caller) caller.earliest = Math.min(caller.earliest, visit.earliest);
    if (visit.earliest !== visit.order) return;
    const circle = this.#open.splice(this.#open.lastIndexOf(visit));
    for (const member of circle) {
      member.isClosed = true;
      if (circle.length > 1) this.#found.add(member.key);
    }
  }
}

const calledBy = (stage: Stage): string[] =>
  stage.definitions.flatMap((definition) => {
    if (definition.type === 'stage') return calledBy(definition);
    return definition.type === 'caseTask' ? (constantKey(definition.caseRef) ?? []) : [];
  });

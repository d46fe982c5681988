/** One violation in a request: `pointer` into the body, or the name of a `parameter`. */
export interface ProblemItem {
  /** JSON Pointer into the body, such as `/name` (RFC 6901). */
  readonly pointer?: string;
  /** Name of the path, query or header parameter. */
  readonly parameter?: string;
  /** Stable code of the broken rule, UPPER_SNAKE. */
  readonly code: string;
  readonly detail: string;
}

/** Details of a problem besides its catalogue entry. */
export interface ProblemFacts {
  readonly detail?: string;
  readonly errors?: readonly ProblemItem[];
  /** Extension members of the problem document. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** One entry of a module's problem catalogue. */
export interface ProblemType<F = unknown> {
  /** Stable code, UPPER_SNAKE; the README lists it. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Formats the detail from the facts passed by the thrower. */
  readonly describe?: (facts: F) => string | ProblemFacts;
}

/**
 * An error that a caller may see, thrown anywhere below the pipeline and sent as `application/problem+json`.
 * @see RFC 9457
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly ProblemItem[];
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    { code, status, title }: Pick<ProblemType, 'code' | 'status' | 'title'>,
    facts: ProblemFacts = {},
  ) {
    super(facts.detail ?? title, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = facts.detail ?? title;
    this.errors = facts.errors ?? [];
    this.extensions = facts.extensions ?? {};
    this.headers = facts.headers ?? {};
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a catalogue holds entries with facts of any shape
type Catalogue = Record<string, ProblemType<any>>;

/** A problem factory with its catalogue entry, as routes list it. */
export interface DeclaredProblem {
  readonly type: ProblemType;
}

type ProblemFactory<Args extends readonly unknown[]> = DeclaredProblem &
  ((...args: Args) => Problem);

type Factories<C extends Catalogue> = {
  readonly [K in keyof C]: C[K]['describe'] extends (facts: infer F) => unknown
    ? unknown extends F
      ? ProblemFactory<[more?: ProblemFacts]>
      : ProblemFactory<[facts: F, more?: ProblemFacts]>
    : ProblemFactory<[more?: ProblemFacts]>;
};

/** The catalogue entries behind a set of problem factories, in their order. */
export const catalogueOf = (
  problems: Readonly<Record<string, DeclaredProblem>>,
): readonly ProblemType[] => Object.values(problems).map(({ type }) => type);

/**
 * Declares the problems of a module: `throw problems.settingNotFound({ name })`; a route that may answer it lists
 * `problems.settingNotFound`.
 * @returns one factory for each entry; it returns a `Problem` to throw.
 */
export function defineProblems<const C extends Catalogue>(catalogue: C): Factories<C> {
  return Object.fromEntries(
    Object.entries(catalogue).map(([name, type]) => [
      name,
      Object.assign((...args: [unknown?, ProblemFacts?]) => makeProblem(type, args), { type }),
    ]),
  ) as unknown as Factories<C>;
}

function makeProblem(type: ProblemType, args: [unknown?, ProblemFacts?]): Problem {
  const takesFacts = type.describe !== undefined && type.describe.length > 0;
  const more = (takesFacts ? args[1] : args[0]) as ProblemFacts | undefined;
  const described = type.describe?.(args[0]) ?? {};
  return new Problem(type, {
    ...(typeof described === 'string' ? { detail: described } : described),
    ...more,
  });
}

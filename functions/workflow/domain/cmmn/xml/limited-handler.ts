import type { ModdleContext, ModdleElement, ModdleHandler, ReaderOptions } from 'cmmn-moddle';
import type { ProblemCode } from '../basics/problem.ts';

/** Most elements and attributes that cannot be read. */
const MAX_UNREADABLE = 200;
/** Most references of one element. */
const MAX_REFERENCES = 1_000;

/** Reading has been given up: there is too much of something that takes the parser long. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The reader's own handler for the outermost element, with limits. */
export function limitedHandler(this: ReaderOptions, typeName: string): ModdleHandler {
  const { handler } = Object.getPrototypeOf(this) as Required<ReaderOptions>;
  const root = handler.call(this, typeName);
  let context: ModdleContext;
  return Object.defineProperty(root, 'context', {
    get: () => context,
    set: (given: ModdleContext) => {
      context = limited(given);
    },
  });
}

/**
 * Gives up after a number of pieces that cannot be read, because the parser looks through the whole text to find
 * the line of each, and of references in one element, because it looks through all of them to resolve each.
 * Elements are kept by id in an object that inherits no names.
 */
function limited(context: ModdleContext): ModdleContext {
  const addWarning = context.addWarning.bind(context);
  const addReference = context.addReference.bind(context);
  const referenceCounts = new Map<ModdleElement, number>();
  let unreadable = 0;
  context.elementsById = Object.create(null);
  context.addWarning = (warning) => {
    if (warning.error instanceof LimitError) throw warning.error;
    if (warning.error && ++unreadable > MAX_UNREADABLE) {
      const message = `More than ${MAX_UNREADABLE} elements or attributes are not known.`;
      throw new LimitError('NOT_CMMN', message);
    }
    addWarning(warning);
  };
  context.addReference = (reference) => {
    const count = (referenceCounts.get(reference.element) ?? 0) + 1;
    if (count > MAX_REFERENCES) {
      const message = `An element refers to more than ${MAX_REFERENCES} others.`;
      throw new LimitError('XML_TOO_LARGE', message);
    }
    referenceCounts.set(reference.element, count);
    addReference(reference);
  };
  return context;
}

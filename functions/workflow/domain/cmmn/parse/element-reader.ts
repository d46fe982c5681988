import type { ModdleElement } from 'cmmn-moddle';
import type { Expression } from '../expression/expression.ts';
import type { Problem, ProblemCode, Report } from '../validation/problem.ts';
import type { CmmnDocument } from './read-xml.ts';

/** Namespaces whose attributes and elements are understood beside those of the standard. */
const EXTENSION_NAMESPACES = ['http://flowable.org/cmmn', 'http://camunda.org/schema/1.0/cmmn'];

/** Reads elements of the meta-model: attributes with or without a prefix, references, expressions. */
export interface ElementReader {
  /** An attribute of the standard or of an extension; empty counts as absent. */
  attribute(element: ModdleElement, name: string): string | undefined;
  /** A reference by id, resolved or not. */
  reference(element: ModdleElement, name: string): string | undefined;
  references(element: ModdleElement, name: string): readonly string[];
  /** An attribute "true" or "false". */
  flag(element: ModdleElement, name: string): boolean | undefined;
  /** Extension elements of that name. */
  extensions(element: ModdleElement | undefined, name: string): readonly ModdleElement[];
  /** The text of an attribute as an expression. */
  expressionAttribute(element: ModdleElement, name: string): Expression | undefined;
  /** The text as an expression. */
  expression(text: string, language?: string, owner?: ModdleElement): Expression;
  /** An `Expression` element of the standard (CMMN 1.1, 5.4). */
  expressionElement(element: unknown, owner: ModdleElement): Expression | undefined;
  /** The element's id, or one that is made from the hint and unique in the document. */
  idOf(element: ModdleElement, hint: string): string;
  problem(code: ProblemCode, message: string, element?: ModdleElement): void;
}

/** Children of an element under a property of the meta-model. */
export const childrenOf = (element: ModdleElement, property: string): readonly ModdleElement[] =>
  (element[property] as readonly ModdleElement[] | undefined) ?? [];

/** One child element under a property of the meta-model. */
export const childOf = (element: ModdleElement, property: string): ModdleElement | undefined =>
  element[property] as ModdleElement | undefined;

/** The local name of an element's type, in the form of its XML tag. */
export function tagOf(element: ModdleElement): string {
  const local = element.$type.slice(element.$type.indexOf(':') + 1);
  return local.charAt(0).toLowerCase() + local.slice(1);
}

/** The element as a problem names it. */
const describeElement = (
  element: ModdleElement,
): Pick<Problem, never> & {
  id?: string;
  type: string;
  name?: string;
} => ({ id: element.id, type: tagOf(element), name: element.name as string | undefined });

/** A reader over one document. */
export function createElementReader(document: CmmnDocument, report: Report): ElementReader {
  const prefixes = extensionPrefixes(document);
  const references = indexReferences(document);
  const usedIds = new Set(document.scan.byId.keys());
  const defaultLanguage = document.root.expressionLanguage as string | undefined;

  const attribute: ElementReader['attribute'] = (element, name) => {
    const own = element[name];
    if (typeof own === 'string' && own !== '') return own;
    for (const prefix of prefixes) {
      const value = element.$attrs?.[`${prefix}:${name}`] ?? element[`${prefix}:${name}`];
      if (typeof value === 'string' && value !== '') return value;
    }
    return element.$attrs?.[name] || undefined;
  };
  const referenceList: ElementReader['references'] = (element, name) => {
    const found = references.get(element)?.get(name);
    return found ?? attribute(element, name)?.split(/\s+/).filter(Boolean) ?? [];
  };
  const expression: ElementReader['expression'] = (text, language, owner) => ({
    text: text.trim(),
    language: languageOf(text, language ?? defaultLanguage, (unknown) =>
      report.add(
        'EXPRESSION_LANGUAGE_UNSUPPORTED',
        `The expression language "${unknown}" is not supported: use JUEL or FEEL.`,
        owner && describeElement(owner),
      ),
    ),
  });
  return {
    attribute,
    references: referenceList,
    reference: (element, name) => referenceList(element, name)[0],
    flag: (element, name) => {
      const own = element[name];
      if (typeof own === 'boolean') {
        return Object.hasOwn(element, name) ? own : undefined;
      }
      const value = attribute(element, name);
      return value === undefined ? undefined : value.toLowerCase() === 'true';
    },
    extensions: (element, name) => {
      const container = element && childOf(element, 'extensionElements');
      if (!container) return [];
      return childrenOf(container, 'values').filter(({ $type }) =>
        prefixes.some((prefix) => $type === `${prefix}:${name}`),
      );
    },
    expression,
    expressionAttribute: (element, name) => {
      const text = attribute(element, name);
      return text === undefined ? undefined : expression(text, undefined, element);
    },
    expressionElement: (element, owner) => {
      const { body, language } = (element ?? {}) as { body?: string; language?: string };
      return body?.trim() ? expression(body, language, owner) : undefined;
    },
    idOf: (element, hint) => element.id ?? unique(hint, usedIds),
    problem: (code, message, element) =>
      report.add(code, message, element && describeElement(element)),
  };
}

/** JUEL unless the text, the element or the document says FEEL. */
function languageOf(
  text: string,
  declared: string | undefined,
  unknown: (language: string) => void,
): Expression['language'] {
  if (/^\s*=/.test(text)) return 'feel';
  const language = declared?.toLowerCase() ?? '';
  if (/feel/.test(language)) return 'feel';
  const isDefault = language === '' || /juel|uel|flowable|unspecified|xpath/.test(language);
  if (!isDefault) unknown(declared ?? '');
  return 'juel';
}

function extensionPrefixes({ scan }: CmmnDocument): readonly string[] {
  return EXTENSION_NAMESPACES.flatMap((namespace) => scan.prefixes.get(namespace) ?? []).filter(
    Boolean,
  );
}

type ReferenceIndex = ReadonlyMap<ModdleElement, ReadonlyMap<string, readonly string[]>>;

function indexReferences({ references }: CmmnDocument): ReferenceIndex {
  const index = new Map<ModdleElement, Map<string, string[]>>();
  for (const { element, property, id } of references) {
    const name = property.slice(property.indexOf(':') + 1);
    const ofElement = index.get(element) ?? new Map<string, string[]>();
    index.set(element, ofElement);
    ofElement.set(name, [...(ofElement.get(name) ?? []), id]);
  }
  return index;
}

function unique(hint: string, used: Set<string>): string {
  let id = hint;
  for (let number = 2; used.has(id); number++) id = `${hint}-${number}`;
  used.add(id);
  return id;
}

import type { ModdleElement } from 'cmmn-moddle';
import type { ProblemCode, Report, SourceLocation } from '../basics/problem.ts';
import type { Expression, NameExpression } from '../expression/expression.ts';
import type { CmmnDocument } from '../xml/read-xml.ts';

/** Namespaces whose attributes and elements are understood beside those of the standard. */
const EXTENSION_NAMESPACES = ['http://flowable.org/cmmn', 'http://camunda.org/schema/1.0/cmmn'];

/** Children of an element under a property of the meta-model. */
export const elementsIn = (element: ModdleElement, property: string): readonly ModdleElement[] =>
  (element[property] as readonly ModdleElement[] | undefined) ?? [];

/** One child element under a property of the meta-model. */
export const elementIn = (element: ModdleElement, property: string): ModdleElement | undefined =>
  element[property] as ModdleElement | undefined;

/** The local name of an element's type, in the form of its XML tag. */
export function tagOf(element: ModdleElement): string {
  const local = element.$type.slice(element.$type.indexOf(':') + 1);
  return local.charAt(0).toLowerCase() + local.slice(1);
}

/** Reads elements of the meta-model: attributes with or without a prefix, references, expressions. */
export class ElementReader {
  readonly #report: Report;
  readonly #prefixes: readonly string[];
  readonly #references: ReferenceIndex;
  readonly #known = new Set<ModdleElement>();
  readonly #idNumbers = new Map<string, number>();
  readonly #byId: CmmnDocument['scan']['byId'];
  /** Ids that the document does not have, and where the elements stand that they are made for. */
  readonly #madeIds = new Map<string, SourceLocation | undefined>();
  readonly #defaultLanguage: string | undefined;

  constructor(document: CmmnDocument, report: Report) {
    this.#report = report;
    this.#prefixes = extensionPrefixes(document);
    this.#references = indexReferences(document);
    this.#byId = document.scan.byId;
    this.#defaultLanguage = document.root.expressionLanguage as string | undefined;
  }

  /** An attribute of the standard or of an extension; empty counts as absent. */
  attribute(element: ModdleElement, name: string): string | undefined {
    const own = element[name];
    if (typeof own === 'string' && own !== '') return own;
    for (const prefix of this.#prefixes) {
      const value = element.$attrs?.[`${prefix}:${name}`] ?? element[`${prefix}:${name}`];
      if (typeof value === 'string' && value !== '') return value;
    }
    return element.$attrs?.[name] || undefined;
  }

  /** A reference by id, resolved or not. */
  reference(element: ModdleElement, name: string): string | undefined {
    return this.references(element, name)[0];
  }

  /** References by id, resolved or not. */
  references(element: ModdleElement, name: string): readonly string[] {
    const found = this.#references.get(element)?.get(name);
    return found ?? this.attribute(element, name)?.split(/\s+/).filter(Boolean) ?? [];
  }

  /** An attribute "true" or "false". */
  flag(element: ModdleElement, name: string): boolean | undefined {
    const own = element[name];
    if (typeof own === 'boolean') return Object.hasOwn(element, name) ? own : undefined;
    const value = this.attribute(element, name);
    return value === undefined ? undefined : value.toLowerCase() === 'true';
  }

  /** Extension elements of that name. */
  extensions(element: ModdleElement | undefined, name: string): readonly ModdleElement[] {
    const container = element && elementIn(element, 'extensionElements');
    if (!container) return [];
    return elementsIn(container, 'values').filter(({ $type }) =>
      this.#prefixes.some((prefix) => $type === `${prefix}:${name}`),
    );
  }

  /** The text of an attribute as an expression. */
  expressionAttribute(element: ModdleElement, name: string): Expression | undefined {
    const text = this.attribute(element, name);
    return text === undefined ? undefined : this.expression(text, undefined, element);
  }

  /** An attribute that gives a name: as it is, or by an expression. */
  nameAttribute(element: ModdleElement, name: string): NameExpression | undefined {
    const text = this.attribute(element, name)?.trim();
    return text && isTemplate(text) ? this.expression(text, 'juel', element) : text;
  }

  /** An `Expression` element of the standard (CMMN 1.1, 5.4). */
  expressionElement(element: unknown, owner: ModdleElement): Expression | undefined {
    const { body, language } = (element ?? {}) as { body?: string; language?: string };
    return body?.trim() ? this.expression(body, language, owner) : undefined;
  }

  /** The text as an expression. */
  expression(text: string, language?: string, owner?: ModdleElement): Expression {
    const declared = language ?? this.#defaultLanguage;
    const refuse = (unknown: string): void => {
      const message = `The expression language "${unknown}" is not supported: use JUEL or FEEL.`;
      this.problem('EXPRESSION_LANGUAGE_UNSUPPORTED', message, owner);
    };
    if (language && /xpath/i.test(language)) refuse(language);
    return { text: text.trim(), language: languageOf(text, declared, refuse) };
  }

  /** The element's id, or one that is made from the hint and unique in the document. */
  idOf(element: ModdleElement, hint: string): string {
    if (element.id !== undefined) return element.id;
    const id = this.#uniqueId(hint);
    this.#madeIds.set(id, this.#placeOf(element));
    return id;
  }

  /** Whether the element is asked about for the first time. */
  isFirst(element: ModdleElement): boolean {
    const isNew = !this.#known.has(element);
    this.#known.add(element);
    return isNew;
  }

  /** Where an element begins; for one without an id, the nearest element around it that has one. */
  locate(id: string): SourceLocation | undefined {
    return this.#byId.get(id) ?? this.#madeIds.get(id);
  }

  /** The hint, or the first number behind it, counted on from the last time, that makes it unique. */
  #uniqueId(hint: string): string {
    let id = hint;
    let number = this.#idNumbers.get(hint) ?? 1;
    while (this.#byId.has(id) || this.#madeIds.has(id)) id = `${hint}-${++number}`;
    this.#idNumbers.set(hint, number);
    return id;
  }

  #placeOf(element: ModdleElement): SourceLocation | undefined {
    let around: ModdleElement | undefined = element;
    while (around && around.id === undefined) around = around.$parent;
    return around?.id === undefined ? undefined : this.locate(around.id);
  }

  /** Reports what is wrong with an element. */
  problem(code: ProblemCode, message: string, element?: ModdleElement): void {
    this.#report.add(
      code,
      message,
      element && {
        id: element.id,
        type: tagOf(element),
        name: element.name as string | undefined,
        location: this.#placeOf(element),
      },
    );
  }
}

/** Whether an expression of JUEL is in the text. */
export const isTemplate = (text: string): boolean => /[$#]\{/.test(text);

/** JUEL unless the text, the element or the document says FEEL; XPath is what the standard assumes of a document. */
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
    const ids = ofElement.get(name);
    if (ids) ids.push(id);
    else ofElement.set(name, [id]);
  }
  return index;
}

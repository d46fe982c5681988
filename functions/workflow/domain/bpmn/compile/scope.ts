import type { XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { EVENT_DEFINITIONS } from './elements.ts';

/** Elements of a document that others refer to, by kind and id. */
export interface References {
  readonly messages: ReadonlyMap<string, string>;
  readonly signals: ReadonlyMap<string, string>;
  readonly errors: ReadonlyMap<string, string>;
}

/** What a process or sub-process holds. */
export interface Scope {
  readonly element: XmlElement;
  readonly activities: ReadonlyMap<string, XmlElement>;
  readonly flows: readonly XmlElement[];
  readonly references: References;
  readonly parent?: Scope;
}

/** The definition of an event, if it has one. */
export const definitionOf = ({ children }: XmlElement): XmlElement | undefined =>
  children.find(({ name }) => name.endsWith('EventDefinition') || name === 'eventDefinitionRef');

/** Whether an event may have the definition. */
export const isPossible = (event: XmlElement, definition: XmlElement): boolean =>
  EVENT_DEFINITIONS[event.name]?.includes(definition.name) ?? false;

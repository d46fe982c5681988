import { unknownName } from '../../../../shared/primitives/nearest-name.ts';
import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { isJsonObject, type JsonObject, own } from '../entity/json.ts';
import { flattenFields } from '../schema/flatten.ts';
import { innerSchemas } from '../schema/inner-schemas.ts';
import { readDocument } from '../schema/read-document.ts';

const words = (text: string): readonly string[] => text.split(/\s+/);

/** Keywords of this module on the schema and on a field. */
const OF_SCHEMA = words('x-label x-indexes x-unique x-tree-order');
const OF_FIELD = words(
  'x-search x-searchable x-unique x-unique-accents x-reference x-encrypted x-renamed-from x-facet x-file x-number x-order x-index',
);
/** Those of form libraries, which are kept as they are. */
const FOREIGN: ReadonlySet<string> = new Set(
  words(`x-component x-component-props x-decorator x-decorator-props x-reactions x-pattern x-display x-visible x-hidden
  x-disabled x-editable x-read-only x-read-pretty x-value x-data x-content x-compile-omitted x-validator x-slot-node
  x-index x-order`),
);
const FORMATS =
  words(`date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email
  hostname ipv4 ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float
  double password binary decimal textarea markdown html richtext phone color reference file image data-url`);

/** Keywords and formats of a form that are probably misspelt, as nothing knows them; each with the name that was meant. */
export function schemaWarnings(schemaText: string): ProblemItem[] {
  const { schema } = readDocument(schemaText);
  const shared = ['$defs', 'definitions'].flatMap((keyword) => {
    const given = own(schema, keyword);
    return Object.entries(isJsonObject(given) ? given : {}).flatMap(([name, node]) =>
      isJsonObject(node) ? [{ node, pointer: `/${keyword}/${name}` }] : [],
    );
  });
  const fields = flattenFields(schema).map(({ code, node }) => ({
    node,
    pointer: `/properties/${code}`,
  }));
  const rules = innerSchemas(schema).filter(([name]) => !name.startsWith('properties/'));
  return [
    ...keywordWarnings(schema, '', OF_SCHEMA),
    ...fields.flatMap(({ node, pointer }) => fieldWarnings(node, pointer)),
    ...rules.flatMap(([name, node]) => innerWarnings(node, `/${name}`)),
    // A field may refer to it as a whole.
    ...shared.flatMap(({ node, pointer }) => fieldWarnings(node, pointer)),
  ];
}

function fieldWarnings(node: JsonObject, pointer: string): ProblemItem[] {
  return [...ownWarnings(node, pointer), ...belowField(node, pointer)];
}

const ownWarnings = (node: JsonObject, pointer: string): ProblemItem[] => [
  ...keywordWarnings(node, pointer, OF_FIELD),
  ...formatWarnings(node, pointer),
];

/** A list of references names their entity at its elements. */
const belowField = (node: JsonObject, pointer: string): ProblemItem[] =>
  innerSchemas(node).flatMap(([name, part]) => {
    const { 'x-reference': reference, ...others } = part;
    const isElement = name === 'items' && reference !== undefined;
    return innerWarnings(isElement ? others : part, `${pointer}/${name}`);
  });

/** Of a part of a value, whose keywords say nothing about the field. */
function innerWarnings(node: JsonObject, pointer: string): ProblemItem[] {
  const inner = innerSchemas(node);
  return [
    ...ownWarnings(node, pointer),
    ...Object.keys(node)
      .filter((name) => OF_FIELD.includes(name) && !FOREIGN.has(name))
      .map((name) => ({
        pointer: `${pointer}/${name}`,
        code: 'KEYWORD_OF_FIELDS',
        detail: 'has no effect here: it is followed on whole fields only',
      })),
    ...inner.flatMap(([name, part]) => innerWarnings(part, `${pointer}/${name}`)),
  ];
}

function keywordWarnings(
  node: JsonObject,
  pointer: string,
  known: readonly string[],
): ProblemItem[] {
  return Object.keys(node)
    .filter((name) => name.startsWith('x-') && !known.includes(name) && !FOREIGN.has(name))
    .map((name) => ({
      pointer: `${pointer}/${name}`,
      code: 'UNKNOWN_KEYWORD',
      detail: unknownName(name, known),
    }));
}

function formatWarnings(node: JsonObject, pointer: string): ProblemItem[] {
  const format = own(node, 'format');
  if (typeof format !== 'string' || FORMATS.includes(format)) return [];
  const detail = `${format.slice(0, 80)} ${unknownName(format, FORMATS)}`;
  return [{ pointer: `${pointer}/format`, code: 'UNKNOWN_FORMAT', detail }];
}

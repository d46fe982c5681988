import { isExternalField } from '../../markers/instruction.ts';
import type { PartScan } from '../../scan/part-model.ts';
import { encodeXml } from '../../xml/character-data.ts';
import type { Splices } from '../../xml/splices.ts';
import { type InstructionPart, parseIf } from '../contract/if-field.ts';
import { isSafeTarget } from '../contract/safe-target.ts';
import { mergeOf, mergeParts, type ReadField, readNestingFields } from './field-reader.ts';
import type { Preparation } from './preparation.ts';

/** Reading them again costs no more than what was read before. */
const LIMITS = { depth: 1_000, budget: { tokens: Number.MAX_SAFE_INTEGER } };

/**
 * Fills merge fields that stand in the instructions of other fields: a plain IF becomes the text that it shows, and the
 * others get the values as text of their instruction.
 * @returns whether Word has to compute fields again
 */
export function prepareInstructions(
  scan: PartScan,
  splices: Splices,
  preparation: Preparation,
): boolean {
  if (!scan.markers.some(({ nested }) => nested)) return false;
  let needsUpdate = false;
  for (const field of readNestingFields(scan.xml, { ...LIMITS, budget: { ...LIMITS.budget } })) {
    if (!replaceIf(field, scan, splices, preparation)) {
      needsUpdate = fillInstruction(field, scan, splices, preparation) || needsUpdate;
    }
  }
  return needsUpdate;
}

function replaceIf(
  field: ReadField,
  { part }: PartScan,
  splices: Splices,
  { tags }: Preparation,
): boolean {
  const parts = field.isAlone ? mergeParts(field) : undefined;
  const condition = parts && parseIf(parts);
  if (condition === undefined) return false;
  const tag = tags.field({ kind: 'if', condition, part });
  const { prefix, format, start, end } = field;
  splices.replace(
    start,
    end,
    `<${prefix}r>${format}<${prefix}t xml:space="preserve">${tag}</${prefix}t></${prefix}r>`,
  );
  return true;
}

function fillInstruction(
  field: ReadField,
  { part }: PartScan,
  splices: Splices,
  { request, warnings }: Preparation,
): boolean {
  const keyword = keywordOf(field);
  const merges = mergesIn(field);
  if (merges.length === 0) return false;
  const warn = (
    code: 'NESTED_FIELD_NOT_EVALUATED' | 'LINK_TARGET_REJECTED',
    message: string,
  ): void => {
    warnings.push({ code, part, message });
  };
  if (isExternalField(keyword)) {
    warn(
      'NESTED_FIELD_NOT_EVALUATED',
      `The field ${keyword.trim()} takes in what is not in the document.`,
    );
    return false;
  }
  const texts = merges.map(({ name, switches }) => textValue(request, name, switches));
  if (keyword.trim().toUpperCase() === 'HYPERLINK' && !isSafeTarget(texts.join(''))) {
    warn('LINK_TARGET_REJECTED', 'A link leads to something else than http, https or mailto.');
    return false;
  }
  merges.forEach(({ field: { start, end, prefix } }, index) => {
    const text = (texts[index] ?? '').replaceAll(/[\\"]/g, '\\$&').replaceAll(/\s+/g, ' ');
    const instruction = `<${prefix}instrText xml:space="preserve">${encodeXml(text)}</${prefix}instrText>`;
    splices.replace(start, end, `<${prefix}r>${instruction}</${prefix}r>`);
  });
  if (keyword.trim().toUpperCase() === 'HYPERLINK') return false;
  warn(
    'NESTED_FIELD_NOT_EVALUATED',
    `Word computes the field ${keyword.trim().slice(0, 40)} when the document is opened.`,
  );
  return true;
}

const keywordOf = ({ instruction }: ReadField): string => {
  const first = instruction[0];
  return typeof first === 'string' ? (/^\s*\S+/.exec(first)?.[0] ?? '') : '';
};

interface Merge extends Exclude<InstructionPart, string> {
  readonly field: ReadField;
}

/** Merge fields at any depth of an instruction. */
function mergesIn({ instruction }: ReadField): Merge[] {
  return instruction.flatMap((part) => {
    if (typeof part === 'string') return [];
    const merge = mergeOf(part);
    if (merge === undefined) return mergesIn(part);
    return part.isAlone ? [{ field: part, name: merge.name, switches: merge.switches }] : [];
  });
}

/** The text of a field outside of all rows. */
function textValue(
  request: Preparation['request'],
  name: string,
  switches: string | undefined,
): string {
  const { shown } = request.valueOf(name, switches, []);
  return shown.kind === 'text' ? shown.text : '';
}

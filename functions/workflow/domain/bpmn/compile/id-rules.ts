import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { isReservedName } from '../../cmmn/expression/known-names.ts';
import type { SourceScan } from '../../cmmn/xml/source-locations.ts';
import type { XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { ACTIVITIES } from './elements.ts';
import type { ProcessReport } from './report.ts';
import type { Scope } from './scope.ts';

const MAX_ID_LENGTH = 100;
/** The engine builds patterns of keys from ids, in which dots and stars mean something. */
const ID = /^[A-Za-z_][\w-]*$/;
const RULE = 'An id has letters, digits, - and _, and at most 100 of them.';

const isPossibleId = (id: string): boolean =>
  ID.test(id) && id.length <= MAX_ID_LENGTH && !isReservedName(id) && !(id in {});

/** Checks the ids that a scan of the text has found. */
export function checkIds({ byId, duplicates }: SourceScan, report: ProcessReport): void {
  for (const [id, found] of [...byId, ...duplicates]) {
    const element: XmlElement = { name: found.tag, attributes: { id }, children: [], text: '' };
    if (duplicates.has(id)) {
      if (duplicates.get(id) !== found) continue;
      report.add('DUPLICATE_ID', `The id "${id.slice(0, 80)}" is used again.`, element);
    } else if (!isPossibleId(id)) {
      report.add('ID_INVALID', RULE, element);
    }
  }
}

/** Checks the ids of what tokens come by, whatever prefixes have meant to the scan. */
export function checkOwnIds(scopes: readonly Scope[], report: ProcessReport): void {
  const seen = new Set<string>();
  for (const child of scopes.flatMap(({ element }) => element.children)) {
    const { id } = child.attributes;
    if (id === undefined || !(ACTIVITIES.has(child.name) || child.name === 'sequenceFlow'))
      continue;
    if (seen.has(id)) report.add('DUPLICATE_ID', `The id "${shown(id)}" is used again.`, child);
    if (!isPossibleId(id)) report.add('ID_INVALID', RULE, child);
    seen.add(id);
  }
}

import type { HttpAnswer } from '../../../../shared/http-client/contract.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import type { Capabilities, ListRequest, PagePosition, ResourcePage } from '../provider.ts';
import { SourceError } from '../source-error.ts';
import { readJson } from './read-json.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const GROUP_ATTRIBUTES = 'id,externalId,displayName,members,meta';

/** Objects that may come while a list is read, besides as many as there were: one that grows on is never read whole. */
const MAX_GROWTH = 10_000;

/** Where a list begins. */
export const firstPosition = ({ maxResults }: Capabilities): PagePosition => ({
  startIndex: 1,
  read: 0,
  total: -1,
  size: maxResults,
});

/** The query of a page. @see RFC 7644, section 3.4.2; RFC 9865 */
export function pageQuery(
  { kind, filter }: ListRequest,
  position: PagePosition,
  { sort, cursorPaging }: Capabilities,
): Readonly<Record<string, string>> {
  const { startIndex, cursor = '', size } = position;
  return {
    ...(cursorPaging ? { cursor } : { startIndex: String(startIndex) }),
    count: String(size),
    ...(sort && { sortBy: 'id' }),
    ...(kind === 'Groups' && { attributes: GROUP_ATTRIBUTES }),
    ...(filter !== undefined && { filter }),
  };
}

/**
 * Reads a page and checks that it is the one that was asked for: a source that ignores paging would make everybody
 * else look removed.
 * @throws SourceError `BAD_ANSWER`, `PAGING_BROKEN`
 */
export function readPage(answer: HttpAnswer, position: PagePosition): ResourcePage {
  const list = readJson(answer);
  const resources = resourcesOf(list);
  const total = totalOf(list);
  const echoed = list.startIndex;
  const isOther =
    typeof echoed === 'number' && resources.length > 0 && echoed !== position.startIndex;
  if (position.cursor === undefined && isOther) {
    throw broken('The source answers with another page than was asked for');
  }
  const read = position.read + resources.length;
  const cursor = typeof list.nextCursor === 'string' ? list.nextCursor : undefined;
  const isEnd = cursor === undefined && read >= total;
  if (resources.length === 0 && !isEnd) throw broken('The source answers with an empty page');
  const atFirst = position.atFirst ?? total;
  if (!isEnd && read > 2 * atFirst + MAX_GROWTH)
    throw broken('The list of the source does not end');
  return {
    resources,
    total,
    hasDrifted: position.total >= 0 && total !== position.total,
    sourceTime: timeOf(answer.headers.date),
    next: isEnd
      ? undefined
      : {
          startIndex: position.startIndex + resources.length,
          cursor,
          read,
          ...{ total, atFirst },
          size: position.size,
        },
  };
}

function resourcesOf(list: Resource): readonly Resource[] {
  const { schemas, Resources: resources = [] } = list;
  if (!Array.isArray(schemas) || !schemas.includes(LIST) || !Array.isArray(resources)) {
    throw new SourceError('BAD_ANSWER', 'The answer of the source is no SCIM list');
  }
  const ids = new Set<string>();
  for (const resource of resources) {
    const id: unknown = resource?.id;
    if (typeof id !== 'string' || id === '' || id.length > 255 || !id.isWellFormed()) {
      throw new SourceError('BAD_ANSWER', 'The source lists an object without a usable id');
    }
    if (ids.has(id)) throw broken('The source lists an object twice');
    ids.add(id);
  }
  return resources;
}

function totalOf({ totalResults }: Resource): number {
  if (typeof totalResults === 'number' && Number.isInteger(totalResults) && totalResults >= 0) {
    return totalResults;
  }
  throw new SourceError('BAD_ANSWER', 'The source does not tell how many objects it has');
}

function timeOf(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? undefined : time;
}

const broken = (message: string) => new SourceError('PAGING_BROKEN', message);

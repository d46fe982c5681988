import type { ActionType, ObjectType } from '../runs/history.ts';

const PREFIX = 'urn:ietf:params:scim:event:';
/** @see RFC 9967, section 2 */
const ACTIONS_OF_URNS: Readonly<Record<string, ActionType | undefined>> = {
  'feed:add': 'INSERT',
  'feed:remove': 'DELETE',
  'prov:create:full': 'INSERT',
  'prov:create:notice': 'INSERT',
  'prov:patch:full': 'UPDATE',
  'prov:patch:notice': 'UPDATE',
  'prov:put:full': 'UPDATE',
  'prov:put:notice': 'UPDATE',
  'prov:delete': 'DELETE',
  'prov:activate': 'ENABLE',
  'prov:deactivate': 'DISABLE',
  'misc:asyncresp': undefined,
};
const VERBS: Readonly<Record<string, ActionType>> = {
  created: 'INSERT',
  updated: 'UPDATE',
  deleted: 'DELETE',
  activated: 'ENABLE',
  deactivated: 'DISABLE',
};
const OBJECTS: Readonly<Record<string, ObjectType>> = {
  user: 'USER',
  organization: 'ORGANIZATION',
  Users: 'USER',
  Groups: 'ORGANIZATION',
};

/** What an event of a security event token does; `undefined`: it is none of SCIM. */
export function actionOfUrn(
  urn: string,
): { readonly actionType: ActionType | undefined } | undefined {
  const name = urn.startsWith(PREFIX) ? urn.slice(PREFIX.length) : '';
  return Object.hasOwn(ACTIONS_OF_URNS, name) ? { actionType: ACTIONS_OF_URNS[name] } : undefined;
}

/** The object that the subject of a token names: `/Users/<id>` or `/Groups/<id>`. */
export function objectOfUri(
  uri: string,
): { readonly objectType: ObjectType; readonly externalId: string } | undefined {
  const [, resource = '', id = ''] = /(?:^|\/)(Users|Groups)\/([^/?#]+)$/.exec(uri) ?? [];
  const objectType = OBJECTS[resource];
  const externalId = decoded(id);
  return objectType && externalId ? { objectType, externalId } : undefined;
}

/** What a type such as `user.updated` says. */
export function typeOfWebhook(
  type: string,
): { readonly objectType: ObjectType; readonly actionType: ActionType } | undefined {
  const [object = '', verb = ''] = type.split('.');
  const isKnown = Object.hasOwn(OBJECTS, object) && Object.hasOwn(VERBS, verb);
  const [objectType, actionType] = [OBJECTS[object], VERBS[verb]];
  return isKnown && objectType && actionType ? { objectType, actionType } : undefined;
}

function decoded(id: string): string | undefined {
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

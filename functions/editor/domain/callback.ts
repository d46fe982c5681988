import { historyOf, type SentHistory } from './history.ts';

/** What a document server reports, as it has signed it. */
export type Callback =
  | { readonly kind: 'presence'; readonly status: 1 | 4; readonly users: readonly string[] }
  | DeliveredSave
  | { readonly kind: 'lost'; readonly status: 3 | 7; readonly userId: string | null }
  | { readonly kind: 'nothing'; readonly status: 0 | 5 };

/** A save with an address to fetch the document from. */
export interface DeliveredSave {
  readonly kind: 'save';
  /** 2: ended; 6: saved while it is edited; 3 and 7: what could be rescued of them. */
  readonly status: 2 | 3 | 6 | 7;
  readonly url: string;
  /** Extension of what is at the address; absent: that of the document. */
  readonly fileType: string | undefined;
  readonly userId: string | null;
  /** 0: by a command; 1: by the button; 2: by time; 3: by a form. */
  readonly forceSaveType: number | null;
  /** What changes it has, for the editor's history. */
  readonly history?: SentHistory | undefined;
  /** Address of the changes themselves, packed. */
  readonly changesUrl?: string | undefined;
}

/** Whether the editing under a key has ended. */
export const isTerminal = (status: number): boolean => status === 2 || status === 3;

type Claims = Readonly<Record<string, unknown>>;

/** Whether claims are those of a callback: configurations and downloads are signed with the same secret. */
export const isCallback = (claims: Claims): claims is Claims & { readonly key: string } =>
  typeof claims.key === 'string' &&
  claims.status !== undefined &&
  claims.document === undefined &&
  claims.editorConfig === undefined;

/** Reads the claims of a callback. @returns what is wrong with them, as a text, when they are none */
export function readCallback(claims: Claims): Callback | string {
  const { status } = claims;
  switch (status) {
    case 0:
    case 5:
      return { kind: 'nothing', status };
    case 1:
    case 4:
      return { kind: 'presence', status, users: textsOf(claims.users) };
    case 2:
    case 6:
      return saveOf(claims, status) ?? 'url is missing';
    case 3:
    case 7:
      return saveOf(claims, status) ?? { kind: 'lost', status, userId: authorOf(claims) };
    default:
      return 'status is not known';
  }
}

function saveOf(claims: Claims, status: DeliveredSave['status']): DeliveredSave | undefined {
  const { url, filetype, forcesavetype, changesurl } = claims;
  if (typeof url !== 'string' || url === '') return undefined;
  const isType = typeof filetype === 'string' && /^[A-Za-z0-9]{1,16}$/.test(filetype);
  return {
    ...{ kind: 'save', status, url, userId: authorOf(claims) },
    fileType: isType ? filetype.toLowerCase() : undefined,
    forceSaveType: Number.isInteger(forcesavetype) ? Number(forcesavetype) : null,
    history: historyOf(claims.history),
    changesUrl: typeof changesurl === 'string' ? changesurl : undefined,
  };
}

/** Whoever pressed the button; else the last editor. */
function authorOf({ status, actions, users }: Claims): string | null {
  const [action] = Array.isArray(actions) ? actions : [];
  const presser: unknown = action?.userid;
  if ((status === 6 || status === 7) && isUserId(presser)) return presser;
  return textsOf(users)[0] ?? null;
}

/** Longer ids belong to no user that an editor was opened for. */
const MAX_USER_ID_LENGTH = 512;

const isUserId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_USER_ID_LENGTH;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(isUserId).slice(0, 100) : [];

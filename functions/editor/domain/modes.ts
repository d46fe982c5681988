import type { DocsEditorMode } from '../../../shared/ports/documents.ts';
import { isEditable, isFillable } from './file-types.ts';

/** Ways to open a document. */
export const EDITOR_MODES = [
  'edit',
  'view',
  'review',
  'comment',
  'fillForms',
  'embedded',
] as const satisfies readonly DocsEditorMode[];

type EditorMode = DocsEditorMode;

/** What a mode lets its user do to the document. */
interface ModeRights {
  readonly edit: boolean;
  readonly review: boolean;
  readonly comment: boolean;
  readonly fillForms: boolean;
}

const NONE: ModeRights = { edit: false, review: false, comment: false, fillForms: false };

const RIGHTS: Readonly<Record<EditorMode, ModeRights>> = {
  edit: { edit: true, review: true, comment: true, fillForms: true },
  view: NONE,
  review: { ...NONE, review: true },
  comment: { ...NONE, comment: true },
  fillForms: { ...NONE, fillForms: true },
  embedded: NONE,
};

export const rightsOf = (mode: EditorMode): ModeRights => RIGHTS[mode];

/** Whether a mode can change the document: its sessions save. */
export const canChange = (mode: EditorMode): boolean => mode !== 'view' && mode !== 'embedded';

/** The mode that a document opens in: what cannot be changed is viewed. Never more than was asked for. */
export function modeFor(asked: EditorMode, extension: string, isClosed: boolean): EditorMode {
  if (!canChange(asked)) return asked;
  if (isClosed) return 'view';
  const fits = asked === 'fillForms' ? isFillable(extension) : isEditable(extension);
  return fits ? asked : 'view';
}

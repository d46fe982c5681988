import type { DocsEditorMode, DocsEditorQuery } from '../../../shared/ports/documents.ts';
import type { DocumentType } from './file-types.ts';
import { canChange, rightsOf } from './modes.ts';

/** What a user may take out of a document. */
export interface UserRights {
  readonly download: boolean;
  readonly print: boolean;
  readonly copy: boolean;
}

/** What a configuration is made of. */
export interface EditorConfigFacts {
  readonly documentServerUrl: string;
  readonly documentType: DocumentType;
  readonly fileType: string;
  readonly title: string;
  readonly key: string;
  readonly documentId: string;
  /** Distinguishes applications that share a document server. */
  readonly instanceId: string;
  readonly mode: DocsEditorMode;
  readonly templateType?: DocsEditorQuery['templateType'];
  readonly rights: UserRights;
  readonly fileUrl: string;
  /** Only for modes that change the file: the editing server asks the last one registered, be it a viewer's. */
  readonly callbackUrl: string | undefined;
  readonly user: { readonly id: string; readonly name: string };
  /** BCP 47 tag. */
  readonly locale: string;
  readonly isMobile: boolean;
  /** The section of plugins, where there is one. */
  readonly plugins?: object | undefined;
}

/** The object that is signed: what an editor is opened with, byte by byte. */
export type SignedConfig = ReturnType<typeof signedConfig>;

/** The configuration of an editor, before it is signed. */
export function signedConfig(facts: EditorConfigFacts) {
  const { mode, user, locale, callbackUrl, plugins } = facts;
  const [lang = 'en'] = locale.split('-');
  return {
    documentType: facts.documentType,
    type: typeOf(facts),
    width: '100%',
    height: '100%',
    document: {
      fileType: facts.fileType,
      key: facts.key,
      title: facts.title,
      url: facts.fileUrl,
      referenceData: { fileKey: facts.documentId, instanceId: facts.instanceId },
      permissions: permissionsOf(facts),
    },
    editorConfig: {
      mode: canChange(mode) ? 'edit' : 'view',
      lang: lang.toLowerCase(),
      region: locale,
      ...(callbackUrl !== undefined && { callbackUrl }),
      user,
      coEditing: { mode: 'fast', change: true },
      customization: {
        ...{ forcesave: true, autosave: true, macros: false, plugins: true },
        anonymous: { request: false },
        goback: { requestClose: false },
      },
      ...(plugins !== undefined && { plugins }),
    },
  };
}

function typeOf({ mode, isMobile }: EditorConfigFacts): 'desktop' | 'mobile' | 'embedded' {
  if (mode === 'embedded') return 'embedded';
  return isMobile ? 'mobile' : 'desktop';
}

function permissionsOf({ mode, rights, templateType }: EditorConfigFacts) {
  const isWhole = mode === 'edit';
  // Every field of such a template is bound: only whoever edits it as a whole may touch them.
  const isLocked = templateType === 'TYPE_2' && !isWhole;
  return {
    ...rightsOf(mode),
    ...{ download: rights.download, print: rights.print, copy: rights.copy },
    modifyFilter: canChange(mode),
    modifyContentControl: canChange(mode) && !isLocked,
    chat: canChange(mode),
    protect: isWhole,
  };
}

/** The two members that the editor's constructor ignores: the addresses of its code. */
export function editorAddresses(documentServerUrl: string) {
  const base = documentServerUrl.replace(/\/*$/, '/');
  return { documentServerUrl: base, apiJsUrl: `${base}web-apps/apps/api/documents/api.js` };
}

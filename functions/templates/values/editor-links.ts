import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { publicUrl } from '../../../shared/primitives/public-url.ts';
import type { TemplatesConfig } from '../configuration.ts';

/** A document that an editor opens. */
export interface EditableDocument {
  /** Path of its file. */
  readonly fileId: string;
  readonly fileName: string;
  /** The template, or the generation. */
  readonly documentId: string;
  readonly templateType: string;
  readonly mode: 'edit' | 'view';
}

/** The address that opens a document in the editor; none where there is no editor. */
export type EditorUrl = (document: EditableDocument) => string | undefined;

/** Links to the editor, absolute by `svc.web.public-url` or the gateway's own name. */
export function editorLinks({
  config,
  environment: { otherSections },
}: Pick<ServiceContext<TemplatesConfig>, 'config' | 'environment'>): EditorUrl {
  const { docs = {} } = otherSections as { readonly docs?: Readonly<Record<string, unknown>> };
  if (docs.enabled !== true) return () => undefined;
  return (document) =>
    `${publicUrl(config.web)}/api/v1/docs/editor?${new URLSearchParams({ ...document })}`;
}

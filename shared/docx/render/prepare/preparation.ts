import type { RenderRequest, RenderWarning } from '../contract/request.ts';
import type { TemplateTags } from '../contract/template-tags.ts';

/** What is the same for all parts of a document. */
export interface Preparation {
  readonly tags: TemplateTags;
  readonly request: RenderRequest;
  readonly warnings: RenderWarning[];
  /** Sections and rows are filled as if they were not repeated. */
  readonly isFlat: boolean;
}

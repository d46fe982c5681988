import type { RenderRequest, RenderWarning } from '../contract/request.ts';
import type { TemplateTags } from '../contract/template-tags.ts';

/** State that all parts of a document share. */
export interface Preparation {
  readonly tags: TemplateTags;
  readonly request: RenderRequest;
  readonly warnings: RenderWarning[];
  /** Sections and rows are filled as if they were not repeated. */
  readonly isFlat: boolean;
}

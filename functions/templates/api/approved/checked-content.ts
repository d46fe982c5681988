import { parseWith } from '../../../../shared/http/parse.ts';
import type { ApprovedContent } from '../../../../shared/ports/templates.ts';
import { approvedContent } from '../../approved/approved-content.ts';
import type { CheckedContent } from '../../approved/approved-documents.ts';

/**
 * Approved content that has the right form.
 * @throws Problem `VALIDATION_FAILED` or `UNKNOWN_FIELD` (400), naming every violation
 */
export const checkedContent = (content: ApprovedContent): CheckedContent =>
  parseWith(approvedContent(), content, 'body');
